// Parses rate limits such as `5 per minute` into windows (docs/reference/configuration.md).

/** At most `count` requests in `ms` milliseconds. */
export interface RateWindow {
  readonly count: number
  readonly ms: number
}

const periods: Readonly<Record<string, number>> = {
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
}

/** `5 per minute`, `100/2 hours` */
const form = /^([1-9]\d*)\s*(?:\/|\s+per\s+)\s*(?:([1-9]\d*)\s+)?(second|minute|hour|day)s?$/

/**
 * Returns the windows of a limit, shortest first; undefined if the string is not a limit.
 *
 * ```ts
 * readRateWindows('5 per minute; 100/2 hours') // [{ count: 5, ms: 60000 }, { count: 100, ms: 7200000 }]
 * ```
 */
export function readRateWindows(text: string): readonly RateWindow[] | undefined {
  const windows: RateWindow[] = []
  for (const part of text.split(';')) {
    const match = form.exec(part.trim())
    if (match === null) return undefined
    const count = Number(match[1])
    const ms = Number(match[2] ?? '1') * (periods[match[3] ?? ''] ?? 0)
    // No window is longer than a year.
    if (!Number.isSafeInteger(count) || ms > 366 * 86_400_000) return undefined
    windows.push({ count, ms })
  }
  return windows.sort((a, b) => a.ms - b.ms)
}
