// A download that begins when the page is ready for it.
export function download(href) {
  const link = Object.assign(document.createElement("a"), { href, download: "" });
  document.body.append(link);
  link.click();
  link.remove();
}
