// How the search of the site weighs words: those of questions count nothing, headings most, pages about the inside less.
// The functions run in the browser from their source text, so they refer to nothing outside of themselves.

export const miniSearch = {
  options: {
    /** A word of a page or of a question; null leaves it out. */
    processTerm: (term: string): string | null => {
      const left =
        /^(a|an|and|are|as|at|be|by|can|do|does|each|every|for|from|get|has|have|how|i|if|in|into|is|it|its|many|may|me|my|of|on|one|only|or|own|see|sees|set|should|some|that|the|their|them|there|this|to|use|want|was|we|what|when|where|which|who|why|will|with|without|you|your)$/
      const word = term.toLowerCase()
      // Without the plural, and without the endings of most verbs.
      return left.test(word) ? null : word.replace(/(?<=...)(ies|s|ed|ing)$/, '')
    },
  },
  searchOptions: {
    boost: { title: 6, titles: 2, text: 1 },
    fuzzy: (term: string): number | false => (term.length > 5 ? 0.2 : false),
    prefix: (term: string): boolean => term.length > 4,
    boostDocument: (id: string): number => (id.includes('/inside/') ? 0.4 : 1),
  },
}
