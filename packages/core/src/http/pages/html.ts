// The HTML document around every page, and the escaping of texts in it. Values reach a page through `escaped` alone.

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Escapes text for element content and attributes. */
export const escaped = (text: unknown): string =>
  String(text).replace(/[&<>"']/g, (letter) => escapes[letter] ?? letter)

/** Converts a description of the host (`description` in meta) to HTML: paragraphs, and code between backquotes, but no other Markdown. */
export const prose = (text: string): string =>
  text
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${inline(paragraph)}</p>`)
    .join('')

/** Converts one line of a description to HTML. */
export const inline = (text: string): string =>
  escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>')

/** Returns an HTML page. The empty icon prevents browsers from requesting /favicon.ico. */
export const htmlPage = (title: string, head: string, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escaped(title)}</title>
<link rel="icon" href="data:,">
${head}</head>
<body>
${body}
</body>
</html>
`
