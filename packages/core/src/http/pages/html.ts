// The frame of an HTML page, and escaping of text.

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

/** Converts a description to HTML: paragraphs, and code between backquotes. No other Markdown is supported. */
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
