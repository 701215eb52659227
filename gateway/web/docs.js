// Every call of the API, from /openapi.json. Nothing is asked of other sites: no validator, no fonts.
// @ts-ignore: swagger-ui-bundle.js defines it.
window.ui = SwaggerUIBundle({ url: "/openapi.json", dom_id: "#docs", deepLinking: true, validatorUrl: null });
