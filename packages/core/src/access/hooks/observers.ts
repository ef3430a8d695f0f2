// Observers: `onError`, `onWarning` and `onRefusal` of `createApi`, which receive events; their own failures never affect a response.

import type { Refusal } from '../../model/refusal-report.ts'
import type { ApiRequest } from '../../model/request.ts'
import type { HostFunctions } from './host-functions.ts'

/** Wraps an observer so that it never throws: its errors and rejections go to `failed`, and its promise is not awaited. */
export function observer<Args extends readonly unknown[]>(
  observe: (...args: Args) => unknown,
  failed: (error: unknown) => void,
): (...args: Args) => void {
  return (...args) => {
    try {
      const answer = observe(...args)
      // A custom thenable may not have catch().
      if (answer instanceof Object && 'then' in answer) Promise.resolve(answer).catch(failed)
    } catch (error) {
      failed(error)
    }
  }
}

/** Functions of the host that receive events, as the options of `createApi` name them. Those that are missing have a default. */
interface GivenObservers {
  readonly onError?: (error: unknown, request: ApiRequest) => void
  readonly onWarning?: (message: string) => void
  readonly onRefusal?: (refusal: Refusal) => void
}

/** How the service reports events; none of the functions throws. */
export interface Observers extends Pick<HostFunctions, 'report' | 'warn' | 'refused'> {
  /** Reports a failure that belongs to no request. */
  readonly reportAlone: (error: unknown) => void
}

/** Wraps the functions of the host that receive events; their own failures are reported. */
export function observersOf({ onError, onWarning, onRefusal }: GivenObservers): Observers {
  const report = observer(onError ?? ((error: unknown) => console.error(error)), (error) =>
    console.error(new Error('onError failed.', { cause: error })),
  )
  const reportAlone = (error: unknown): void => report(error, noRequest)
  const reportFailed = (name: string) => (error: unknown) =>
    reportAlone(new Error(`${name} failed.`, { cause: error }))
  return {
    report,
    reportAlone,
    warn: observer(
      onWarning ?? ((message: string) => console.warn(message)),
      reportFailed('onWarning'),
    ),
    refused: observer(onRefusal ?? (() => {}), reportFailed('onRefusal')),
  }
}

/** Placeholder for `onError` if a failure belongs to no request. */
const noRequest: ApiRequest = { method: '', url: '' }
