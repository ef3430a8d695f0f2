/** Runs `model-api serve` inside the test until it is stopped. */
import { run } from '@model-api/http-node'

export interface Serving {
  readonly base: string
  /** The output of the command. */
  readonly printed: string
  stop(): Promise<void>
}

export async function serving(args: readonly string[]): Promise<Serving> {
  let printed = ''
  let end = (): void => {}
  const stopped = new Promise<void>((resolve) => {
    end = () => resolve()
  })
  const write = (line: string): void => {
    printed += `${line}\n`
  }
  let ended = Promise.resolve(0)
  await new Promise<void>((resolve, reject) => {
    ended = run(['serve', '--port', '0', ...args], {
      out: write,
      err: write,
      env: {},
      stopped,
      serving: resolve,
    } as Parameters<typeof run>[1])
    ended.then(() => reject(new Error(`it does not serve:\n${printed}`)), reject)
  })
  const base = /Listening at (\S+)/.exec(printed)?.[1] ?? ''
  return {
    base,
    printed,
    stop: async () => {
      end()
      await ended
    },
  }
}
