// The page's own words, in the language of the reader.

import en from "./words/en.js";
import pl from "./words/pl.js";

/** @type {Object<string, Object<string, string>>} */
const WORDS = { en, pl };

let current = localStorage.getItem("language") || (navigator.language.startsWith("pl") ? "pl" : "en");
const listeners = new Set();

export const language = () => current;
export const other = () => (current === "en" ? "pl" : "en");

export function setLanguage(code) {
  current = code;
  localStorage.setItem("language", code);
  document.documentElement.lang = code;
  for (const listener of listeners) listener();
}

export function onLanguage(listener) {
  listeners.add(listener);
}

/**
 * t("setup.seat", {n: 2}) is "Seat 2".
 * @param {string} key
 * @param {Object<string, any>} [values]
 */
export function t(key, values = {}) {
  return fill(WORDS[current][key] ?? WORDS.en[key] ?? key, (name) => values[name]);
}

export const known = (key) => key in WORDS.en;

/** Puts a value into each {placeholder}. */
export function fill(text, value) {
  return text.replace(/\{(\w+)\}/g, (_, name) => String(value(name) ?? "–"));
}

/** In a game's titles and texts: the reader's language, else English, else whatever there is. */
export function inLanguage(texts) {
  return texts[current] ?? texts.en ?? Object.values(texts)[0];
}

/** "lu_yu" is "Lu Yu". */
export function plain(id) {
  return String(id).replace(/[_-]+/g, " ").replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
}

/** What to tell somebody whose wish was refused. */
export function excuse(error) {
  const key = `problem.${error.reason}`;
  return error.reason === "BAD_TOKEN" ? t(key) : t("app.error", { detail: known(key) ? t(key) : error.message });
}

document.documentElement.lang = current;
