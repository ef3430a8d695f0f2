// The branches of the library, which is fictional.

type BranchRow = readonly [name: string, city: string, openedOn: string]

export const branches: readonly BranchRow[] = [
  ['Central Library', 'Edinburgh', '1890-06-09'],
  ['Harbour Branch', 'Leith', '1932-03-14'],
  ['Old Town Reading Room', 'Edinburgh', '1908-10-01'],
  ['Riverside Branch', 'Stirling', '1961-05-20'],
  ['Abbey Branch', 'Melrose', '1974-09-02'],
  ['University Annexe', 'St Andrews', '1986-01-27'],
  ['North Bridge Branch', 'Inverness', '1999-11-15'],
  ['Garden Quarter Branch', 'Glasgow', '2016-04-23'],
]
