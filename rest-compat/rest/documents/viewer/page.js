// Shows the document that the query names, or the first one.
const links = [...document.querySelectorAll("nav a")];
const shown = links.find(({ search }) => search === location.search) ?? links[0];
shown.setAttribute("aria-current", "page");

globalThis.SwaggerUIBundle({
  url: new URL(`../${shown.dataset.document}`, document.currentScript.src).href,
  domNode: document.getElementById("document"),
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  // The documents are checked by tests. By default, the page would ask a server of its authors.
  validatorUrl: null,
});
