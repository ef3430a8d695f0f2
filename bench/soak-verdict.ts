/**
 * The result of a soak test: compares the median of the last fifth of its samples with that of the second fifth. The first fifth is
 * the warm-up.
 */

export interface Sample {
  /** The part of the time that had passed, from 0 to 1. */
  readonly at: number
  /** Bytes. */
  readonly heap: number
  readonly rss: number
}

export interface Verdict {
  readonly grows: boolean
  readonly line: string
}

/** A larger difference counts as growth. A smaller one depends on how full the caches are. */
const most = 0.1

/** Returns a line for the output, and whether heap or RSS have grown by more than a tenth. */
export function verdictOn(samples: readonly Sample[]): Verdict {
  const early = samples.filter(({ at }) => at > 0.2 && at <= 0.4)
  const late = samples.filter(({ at }) => at > 0.8)
  const compared = (['heap', 'rss'] as const).map((name) => {
    const [before, after] = [early, late].map((fifth) => median(fifth.map((one) => one[name])))
    const growth = (after ?? Number.NaN) / (before ?? Number.NaN) - 1
    const percent = `${growth < 0 ? '' : '+'}${(growth * 100).toFixed(1)} %`
    return { growth, text: `${name} ${mib(before)} → ${mib(after)} MiB (${percent})` }
  })
  const grows = compared.some(({ growth }) => !(growth <= most))
  const texts = compared.map(({ text }) => text).join(', ')
  return {
    grows,
    line: `${grows ? 'GROWS' : 'steady'}: ${texts}; medians of the second and the last fifth, ${early.length} and ${late.length} samples`,
  }
}

export const mib = (bytes: number | undefined): string =>
  ((bytes ?? Number.NaN) / 2 ** 20).toFixed(1)

function median(values: readonly number[]): number | undefined {
  return [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) / 2)]
}
