/** The supervisor with workers that are not processes: which are started, replaced and ended, and when. */
import { supervise } from '../../../packages/http-node/src/cluster/supervise.ts'
import type { WorkerEnd } from '../../../packages/http-node/src/cluster/worker-process.ts'
import { equal } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

interface Fake {
  readonly pid: number
  readonly prints: boolean
  readonly told: string[]
  serve(): void
  end(end: Partial<WorkerEnd>): void
}

function world(count: number) {
  const workers: Fake[] = []
  const lines: string[] = []
  const pauses: { ms: number; run: (() => void) | undefined }[] = []
  let stop = (): void => {}
  const stopped = new Promise<void>((resolve) => {
    stop = resolve
  })
  const code = supervise({
    drainDelay: 0,
    count,
    stopped,
    fork: (prints) => {
      const on: { serving?: () => void; end?: (end: WorkerEnd) => void } = {}
      const told: string[] = []
      const pid = workers.length + 1
      workers.push({
        pid,
        prints,
        told,
        serve: () => on.serving?.(),
        end: (end) => on.end?.({ code: null, signal: null, ...end }),
      })
      return {
        pid,
        onServing: (then) => {
          on.serving = then
        },
        onEnd: (then) => {
          on.end = then
        },
        stop: () => void told.push('stop'),
        kill: () => void told.push('kill'),
      }
    },
    out: (line) => void lines.push(line),
    err: (line) => void lines.push(`! ${line}`),
    now: () => 0,
    later: (ms, then) => {
      const pause: (typeof pauses)[number] = { ms, run: then }
      pauses.push(pause)
      return () => {
        pause.run = undefined
      }
    },
  })
  const worker = (pid: number): Fake => workers[pid - 1] as Fake
  const ending = (): Promise<void> => {
    stop()
    return stopped
  }
  return { workers, worker, lines, pauses, code, stop: ending }
}

/** Starts all workers, and clears the recorded output. */
function up(count: number) {
  const it = world(count)
  for (let pid = 1; pid <= count; pid++) it.worker(pid).serve()
  it.lines.length = 0
  return it
}

suite('supervise', (test) => {
  test('the first worker starts alone and prints; the others follow when it serves', () => {
    const { workers, worker, lines } = world(3)
    equal([workers.length, worker(1).prints], [1, true])
    worker(1).serve()
    equal(
      workers.map(({ prints }) => prints),
      [true, false, false],
    )
    worker(3).serve()
    equal(lines, [])
    worker(2).serve()
    equal(lines, ['', '3 workers: processes 1, 2, 3'])
  })

  test('a failure of the first worker ends the process, with its exit code and without further output', async () => {
    const { worker, lines, code } = world(3)
    worker(1).end({ code: 2 })
    equal([await code, lines], [2, []])
  })

  test('a worker that fails at the start ends the others', async () => {
    const { worker, lines, code } = world(3)
    worker(1).serve()
    worker(2).end({ code: 1 })
    equal([worker(1).told, worker(3).told], [['stop'], ['stop']])
    worker(1).end({ code: 0 })
    worker(3).end({ signal: 'SIGTERM' })
    equal([await code, lines], [1, ['! Worker 2 ended before it served (exit code 1).']])
  })

  test('a worker that exits is replaced, at once and then more slowly', () => {
    const { workers, worker, lines, pauses } = up(2)
    worker(1).end({ signal: 'SIGKILL' })
    equal(workers.length, 3)
    worker(3).serve()
    worker(2).end({ code: 1 })
    equal([workers.length, pauses[0]?.ms], [3, 1000])
    pauses[0]?.run?.()
    equal(workers.length, 4)
    equal(lines, [
      '! Worker 1 ended (signal SIGKILL). Another is started.',
      'Worker 3 serves.',
      '! Worker 2 ended (exit code 1). Another is started in 1 s.',
    ])
  })

  test('a crash loop ends with an error if no worker serves', async () => {
    const { worker, lines, pauses, code } = up(2)
    for (const pid of [1, 2, 3]) worker(pid).end({ code: 1 })
    pauses[0]?.run?.()
    worker(4).end({ code: 1 })
    pauses[1]?.run?.()
    worker(5).end({ code: 1 })
    equal(await code, 1)
    equal(
      lines.at(-1),
      '! Worker 5 ended (exit code 1). Workers end as soon as they are started, and none serves any more.',
    )
    equal(
      pauses.map(({ run }) => run),
      pauses.map((_, i) => (i < 2 ? pauses[i]?.run : undefined)),
    )
  })

  test('a crash loop of one worker goes on more slowly while others serve', () => {
    const { worker, workers, pauses } = up(2)
    for (let pid = 2; pid < 9; pid++) {
      worker(pid).end({ code: 1 })
      pauses.at(-1)?.run?.()
    }
    equal(
      pauses.map(({ ms }) => ms),
      [1000, 2000, 4000, 8000, 16_000, 30_000],
    )
    equal(workers.length, 9)
  })

  test('on a stop it stops all workers and waits for them', async () => {
    const { worker, workers, lines, pauses, code, stop } = up(2)
    worker(1).end({ code: 1 })
    worker(2).end({ code: 1 })
    await stop()
    equal(worker(3).told, ['stop'])
    worker(3).end({ code: 0 })
    equal([await code, lines.slice(-2)], [0, ['', 'Stopping …']])
    for (const { run } of pauses) run?.()
    equal(workers.length, 3)
  })

  test('a worker that does not exit is killed', async () => {
    const { worker, lines, pauses, code, stop } = up(2)
    await stop()
    worker(1).end({ code: 0 })
    pauses[0]?.run?.()
    equal(worker(2).told, ['stop', 'kill'])
    worker(2).end({ signal: 'SIGKILL' })
    equal([await code, lines.at(-1)], [1, '! Worker 2 did not end in time.'])
  })
})
