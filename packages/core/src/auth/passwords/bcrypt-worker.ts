// The worker thread for bcrypt: answers each message with the result of one hash or comparison.

import type { BcryptAnswer, BcryptTask } from './bcrypt-threads.ts'
import { workerThreads } from './worker-threads.ts'

const port = workerThreads()?.parentPort
const bcrypt = import('bcryptjs')

async function compute(task: BcryptTask): Promise<BcryptAnswer> {
  try {
    const { hashSync, compareSync } = await bcrypt
    if (task.kind === 'hash') return { value: hashSync(task.password, task.cost) }
    const value = compareSync(task.password, task.stored)
    for (const hash of task.padding) compareSync(task.password, hash)
    return { value }
  } catch (error) {
    return { error }
  }
}

port?.on('message', async (task: BcryptTask) => port.postMessage(await compute(task)))
