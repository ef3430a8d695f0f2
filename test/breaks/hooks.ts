/** Breaks of callbacks: time limits, what they are given, when they run. */
import type { Break } from './break.ts'

export const hooks: readonly Break[] = [
  {
    title: 'A callback that never settles is waited for without end',
    file: 'packages/core/src/call-hook.ts',
    find: 'return withTimeLimit(result, timeout, late).catch((error: unknown) => {',
    replace: 'return withTimeLimit(result, 2 ** 30, late).catch((error: unknown) => {',
    fails: 'test/hooks/host-code.test.ts',
  },
  {
    title: 'A callback that returns nothing answers null',
    file: 'packages/core/src/call-hook.ts',
    find: 'if (result === undefined) {',
    replace: 'if (result === name) {',
    fails: 'test/hooks/host-code.test.ts',
  },
  {
    title: 'A hook that waits for the connection of its own transaction waits for ever',
    file: 'packages/core/src/hooks/one-connection.ts',
    find: 'return hook === undefined || hook.finished',
    replace: 'return hook === undefined || !hook.over',
    fails: 'test/hooks/one-connection.test.ts',
  },
  {
    title: 'What a callback returns is stored, whatever it is',
    file: 'packages/core/src/hooks/write-hooks.ts',
    find: "if ('expected' in converted && column.computed === undefined) {",
    replace: "if ('expected' in converted && column.computed !== undefined) {",
    fails: 'test/writing/transactions.test.ts',
  },
  {
    title: 'Embedded records are not shown to the dump callback of their model',
    file: 'packages/core/src/hooks/read-hooks.ts',
    find: '|| !hasDump(target, embeds)) return',
    replace: '|| hasDump(target, embeds)) return',
    fails: 'test/hooks/read-hooks.test.ts',
  },
  {
    title: 'What was rolled back is told after commit',
    file: 'packages/core/src/write/endpoints/stages.ts',
    find: 'return { result, changes }',
    replace: 'runAfterCommit(call, changes, true); return { result, changes: [] }',
    fails: 'test/hooks/after-commit.test.ts',
  },
  {
    title: 'What a first attempt has written is told with the second',
    file: 'packages/core/src/write/endpoints/stages.ts',
    find: 'changes: needsChanges(call.hooks) ? changeLog() : undefined,',
    replace:
      'changes: needsChanges(call.hooks) ? ((call as { log?: never }).log ??= changeLog() as never) : undefined,',
    fails: 'test/hooks/after-commit.test.ts',
  },
  {
    title: 'A write with a callback after commit is one statement, and is told to nobody',
    file: 'packages/core/src/write/endpoints/single-statement.ts',
    find: 'callback: needsChanges(hooks) || ',
    replace: 'callback: ',
    fails: 'test/hooks/after-commit.test.ts',
  },
  {
    title: 'The callback before COMMIT is not awaited',
    file: 'packages/core/src/write/endpoints/stages.ts',
    find: 'await runBeforeCommit(writing.call, changes)',
    replace: 'void runBeforeCommit(writing.call, changes)',
    fails: 'test/hooks/changes-before-commit.test.ts',
  },
  {
    title: 'A batch commits without the callback before COMMIT',
    file: 'packages/core/src/endpoints/batch/run-operations.ts',
    find: 'await runBeforeCommit({ ...call, runtime: inside.runtime, request }, changes)',
    replace: 'inside.runtime.batch?.note(call, changes)',
    fails: 'test/hooks/changes-before-commit.test.ts',
  },
  {
    title: 'A record that is removed with others is no change',
    file: 'packages/core/src/write/execute/remove.ts',
    find: 'context.changes?.note(resource, stored, stored)',
    replace: 'context.changes?.written',
    fails: 'test/hooks/after-commit.test.ts',
  },
  {
    title: 'Callbacks of a write are given another connection than its transaction',
    file: 'packages/core/src/access/hook-args.ts',
    find: 'const db = transaction ?? runtime.session(request)\n  if (db instanceof Promise) throw',
    replace:
      'const db = runtime.session(request) ?? transaction\n  if (db instanceof Promise) throw',
    fails: 'test/hooks/hook-args.test.ts',
  },
  {
    title: 'An object that a callback returns may be deeper than anybody looks for a bigint',
    file: 'packages/core/src/json/not-json.ts',
    find: 'if (depth === 0) return false',
    replace: 'if (depth === 0) return true',
    fails: 'test/unit/json/not-json.test.ts',
  },
  {
    title: 'toJSON of what a callback returns is not called before it is sent',
    file: 'packages/core/src/json/not-json.ts',
    find: " || 'toJSON' in value",
    replace: '',
    fails: 'test/unit/json/not-json.test.ts',
  },
  {
    title: 'Callbacks do not get the embedded objects that the database has built',
    file: 'packages/core/src/serialize/serialize.ts',
    find: 'if (text !== undefined)',
    replace: 'if (text === null)',
    fails: 'test/parity/embed-texts.test.ts',
    databases: ['postgres'],
  },
]
