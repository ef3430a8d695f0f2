// The script in the HTML page of the index: shows the search box, and hides the rows of the table whose text lacks the words in the box.
// `content-policy.ts` allows it by its hash.

/** The text of the `<script>`. */
export const pageScript = `
const box = document.querySelector('input')
const rows = [...document.querySelectorAll('tbody tr')].map((row) => [row, row.textContent.toLowerCase()])
const find = () => {
  const words = box.value.toLowerCase().split(/\\s+/)
  for (const [row, text] of rows) row.hidden = !words.every((word) => text.includes(word))
}
box.hidden = false
box.addEventListener('input', find)
// A browser restores the text of the box when its user comes back to the page.
addEventListener('pageshow', find)
`
