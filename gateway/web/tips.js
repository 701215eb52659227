// Explains what one hovers over, focuses or presses long: any element with data-tip.

const LONG_PRESS = 450;

export function explainPieces() {
  const box = document.createElement("div");
  box.className = "tip";
  // Places say the same to screen readers as their description.
  box.setAttribute("aria-hidden", "true");
  box.hidden = true;
  document.body.append(box);
  let timer = 0;
  let explained = false;

  const hide = () => {
    clearTimeout(timer);
    box.hidden = true;
  };
  const show = (element) => {
    box.textContent = element.getAttribute("data-tip");
    box.hidden = false;
    const around = element.getBoundingClientRect();
    const { width, height } = box.getBoundingClientRect();
    const left = Math.min(Math.max(8, around.left + around.width / 2 - width / 2), innerWidth - width - 8);
    const above = around.top - height - 8;
    box.style.left = `${left}px`;
    box.style.top = `${above > 8 ? above : Math.min(around.bottom + 8, innerHeight - height - 8)}px`;
  };
  const tipped = (event) => event.target instanceof Element && event.target.closest("[data-tip]");

  document.addEventListener("pointerover", (event) => {
    if (event.pointerType !== "mouse") return;
    const element = tipped(event);
    if (element) show(element);
    else hide();
  });
  document.addEventListener("pointerdown", (event) => {
    hide();
    explained = false;
    const element = tipped(event);
    if (!element || event.pointerType === "mouse") return;
    timer = window.setTimeout(() => {
      explained = true;
      show(element);
    }, LONG_PRESS);
  });
  // Whoever pressed long wanted to know, not to move.
  document.addEventListener("click", (event) => {
    if (explained) event.stopPropagation();
    explained = false;
  }, true);
  for (const end of ["pointerup", "pointercancel", "scroll"]) document.addEventListener(end, () => clearTimeout(timer), true);
  document.addEventListener("contextmenu", (event) => {
    if (!box.hidden && tipped(event)) event.preventDefault();
  });
  document.addEventListener("focusin", (event) => {
    const element = tipped(event);
    if (element && element.matches(":focus-visible")) show(element);
    else hide();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hide();
  });
  document.addEventListener("scroll", hide, true);
}
