// The reviews of the readers, generated: the same rows on every run.

import { createRandom } from './random.ts'

export interface Review {
  readonly bookId: number
  readonly rating: number
  readonly reviewer: string
  readonly body: string
  /** UTC, as `YYYY-MM-DD HH:MM:SS.sss`. */
  readonly createdAt: string
  readonly helpful: number
}

const reviewCount = 3400

const firstNames = [
  'Ada',
  'Agnes',
  'Amara',
  'Anton',
  'Astrid',
  'Beatriz',
  'Bruno',
  'Carmen',
  'Cécile',
  'Chidi',
  'Clara',
  'Dariusz',
  'Dmitri',
  'Edith',
  'Elif',
  'Emeka',
  'Esther',
  'Fatima',
  'Felix',
  'Fiona',
  'Greta',
  'Hamish',
  'Hana',
  'Henrik',
  'Hiroshi',
  'Ines',
  'Iris',
  'Ivan',
  'Jonas',
  'Joan',
  'Kavya',
  'Keiko',
  'Lars',
  'Leila',
  'Linus',
  'Lucía',
  'Magda',
  'Malcolm',
  'Marek',
  'Mei',
  'Miriam',
  'Nadia',
  'Niall',
  'Noor',
  'Olga',
  'Oscar',
  'Paolo',
  'Petra',
  'Quentin',
  'Rafael',
  'Rosa',
  'Ruth',
  'Samir',
  'Sofia',
  'Søren',
  'Tariq',
  'Thea',
  'Tomás',
  'Ursula',
  'Yusuf',
]

/** Each first name has one initial, so that a name always belongs to the same reader. */
const initials = 'BCDFGHKLMNPRSTVW'
const reviewers = firstNames.map((name, i) => `${name} ${initials[(i * 7) % initials.length]}.`)

const openings = [
  'I came to this one late.',
  'My reading group chose this for the spring.',
  'I read this on a long train journey.',
  'A friend pressed it into my hands.',
  'This was my second time through.',
  'I borrowed it on a whim.',
  'I had only known the film.',
  'We read it aloud at home, a little every evening.',
  'I first met this book at school.',
  'I picked it up for the cover, I admit.',
  'It had been on my list for years.',
  'I took my time over this one.',
  'The librarian recommended it.',
  'I finished it in two sittings.',
  'I needed something old after a run of new books.',
  'I started it twice before it caught me.',
]

const praise = [
  'The opening pages are as good as anything I know.',
  'Not a sentence is wasted.',
  'It is funnier than its reputation suggests.',
  'The ending stayed with me for days.',
  'Every minor figure feels alive.',
  'It has hardly aged at all.',
  'The voice is warm, sharp and entirely its own.',
  'I underlined half of it.',
  'What looks simple at first turns out to be very deep.',
  'The quiet scenes are the best ones.',
  'It is generous even towards its worst people.',
  'I laughed out loud more than once.',
  'It made me look at my own times differently.',
  'The sense of place is wonderful.',
  'I have already given away two copies.',
  'It rewards slow reading.',
]

const mixed = [
  'The first half is slow, the second makes up for it.',
  'Some chapters shine and some only fill the space.',
  'I admired it more than I enjoyed it.',
  'The language takes some getting used to.',
  'A list of names at the front would have helped.',
  'It is very much of its time, for better and for worse.',
  'I liked the idea more than the telling.',
  'The middle part could be shorter.',
  'There are fine pages between the long ones.',
  'The notes in this edition are a little thin.',
]

const complaint = [
  'I could not warm to anyone in it.',
  'It goes on far too long.',
  'The plot rests on one coincidence after another.',
  'I kept losing the thread.',
  'I expected much more after all the praise.',
  'The print in this copy is very small.',
  'The moral is repeated until nobody can miss it.',
  'I gave up two thirds of the way through.',
  'The translation reads stiffly.',
  'It may have been daring once, but now it drags.',
]

const closings: readonly (readonly string[])[] = [
  ['Not for me.', 'I would not try it again.', 'I returned it early.', 'A disappointment.'],
  ['Perhaps another time.', 'I am glad to be done with it.', 'For the patient only.'],
  ['Worth a try all the same.', 'Good, not great.', 'I am glad to have read it once.'],
  ['Recommended.', 'I will look for more by the same hand.', 'Well worth the time.'],
  ['A favourite from now on.', 'Read it.', 'I did not want it to end.', 'Simply wonderful.'],
]

/** Cumulative percentages: 5 % of the readers give one star, 38 % give five. */
const ratingSteps = [5, 14, 33, 62, 100]

const firstDay = Date.UTC(2019, 0, 1)
const lastDay = Date.UTC(2025, 11, 31)

export function generateReviews(bookCount: number): Review[] {
  const random = createRandom(1605)
  const times: number[] = []
  for (let i = 0; i < reviewCount; i++) {
    times.push(firstDay + Math.floor(random.next() * (lastDay - firstDay)))
  }
  times.sort((a, b) => a - b)

  return times.map((time) => {
    const roll = random.int(1, 100)
    const rating = ratingSteps.findIndex((step) => roll <= step) + 1
    // Squared, so that a third of the books get most of the reviews.
    const rank = Math.floor(random.next() ** 2 * bookCount)
    return {
      bookId: ((rank * 389) % bookCount) + 1,
      rating,
      reviewer: random.pick(reviewers),
      body: bodyFor(rating, random),
      createdAt: new Date(time).toISOString().replace('T', ' ').replace('Z', ''),
      helpful: Math.floor(random.next() ** 3 * 40),
    }
  })
}

function bodyFor(rating: number, random: ReturnType<typeof createRandom>): string {
  const sentences: string[] = []
  if (random.chance(0.7)) sentences.push(random.pick(openings))
  const first = rating >= 4 ? praise : rating === 3 ? mixed : complaint
  sentences.push(random.pick(first))
  if (random.chance(0.55)) {
    const second = rating === 5 ? praise : rating === 1 ? complaint : mixed
    const sentence = random.pick(second)
    if (!sentences.includes(sentence)) sentences.push(sentence)
  }
  if (random.chance(0.75)) sentences.push(random.pick(closings[rating - 1] as readonly string[]))
  return sentences.join(' ')
}
