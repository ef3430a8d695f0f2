// How the search of the site weighs words: those of questions count nothing, headings most, pages about the inside less.
// The functions run in the browser from their source text, so they refer to nothing outside of themselves.

export const miniSearch = {
  options: {
    /** A word of a page or of a question, without its ending, or another word for the same; null leaves it out. */
    processTerm: (term: string): string | null => {
      const left =
        /^(a|add|an|and|are|as|at|be|by|can|do|does|each|every|for|from|get|happens?|has|have|how|i|if|in|into|is|it|its|may|me|my|needs?|of|on|one|only|or|own|sees?|set|should|some|that|the|their|them|there|this|to|use|want|was|we|what|when|where|which|who|why|will|with|without|you|your)$/
      const same = new Map([
        ['sort', 'order'],
        ['shutdown', 'stop'],
        ['logout', 'log'],
        ['timezone', 'utc'],
      ])
      const word = term.toLowerCase()
      if (left.test(word)) return null
      const stem = word.replace(/(?<=...)(ies|s|ed|ing)$/, '').replace(/([npt])\1$/, '$1')
      return same.get(stem) ?? stem
    },
  },
  searchOptions: {
    boost: { title: 3, titles: 3, text: 1 },
    fuzzy: (term: string): number | false => (term.length > 5 ? 0.2 : false),
    prefix: (term: string): boolean => term.length > 4,
    /** What most pages are about tells them apart least. */
    boostTerm: (term: string): number =>
      /^(api|column|model|record|relation|request|user)$/.test(term) ? 0.5 : 1,
    boostDocument: (id: string): number => (id.includes('/inside/') ? 0.4 : 1),
  },
}
