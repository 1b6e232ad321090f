import type { MessagePort } from 'node:worker_threads'
import type { Clock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import type { ModuleReport } from '../../core/reports/module-report.ts'
import { firstFailure } from '../../core/work/race.ts'
import type { Track } from '../../core/work/retries.ts'
import { retry } from '../../core/work/retry.ts'
import type { ModuleCheckpoint, ModuleJournal } from '../../store/contracts/module-journal.ts'
import { type Answer, isWanted, type Wanted } from './answer.ts'
import { answerOfJournal, createModuleQueue, journalPageOf, type QueuedAnswer } from './module-queue.ts'
import { createModuleRunner, type ModuleRunner } from './module-runner.ts'
import type { ModuleThreadData } from './module-thread.ts'
import type { FromOutlet, ToOutlet } from './outlet.ts'
import { openBody } from './rewindable-body.ts'
import { type ModuleLimits, type RunningModule, startModule } from './running-module.ts'

export type ModuleHostDeps = {
  /** Absolute paths. */
  modules: readonly string[]
  storages: readonly string[]
  output: string
  /** Run of the crawl; 0 for a service. */
  run: number
  journal: ModuleJournal
  /** The body of a version with its type and headers; null if it is not kept any more. */
  readVersion(versionId: number): Promise<(Pick<Answer, 'type' | 'headers'> & { body: Uint8Array }) | null>
  limits: ModuleLimits & { maxFaults: number; checkpointEveryMs: number }
  clock: Pick<Clock, 'monotonic'>
  track: Track
  log(level: 'debug' | 'info' | 'warn', message: string, fields: Record<string, unknown>): void
}

/** All modules and storages of a process, with the queue of answers for them. */
export type ModuleHost = {
  /** The answers that shards have to send. */
  readonly wanted: readonly Wanted[]
  /** Receives the answers of a shard. */
  connect(port: MessagePort): void
  /** Called when the crawl is over or interrupted. Queued answers are processed, or left in the journal. Idempotent. */
  stop(how: 'drain' | 'at-once'): Promise<ModuleReport[]>
  /** Clears the journal after a complete crawl: the next one starts without state. */
  forget(): Promise<void>
  reports(): ModuleReport[]
  /** Rejects when the journal fails permanently. */
  readonly failed: Promise<never>
  close(): Promise<void>
}

/** Maximum number of answers waiting for modules or their checkpoints; beyond it the crawl waits. */
const MAX_QUEUED = 1024

/** Loads all parts, and starts with the answers that the last process left in the journal. Throws `part-invalid`. */
export async function startModuleHost(deps: ModuleHostDeps): Promise<ModuleHost> {
  const { journal, log, limits, run } = deps
  const kinds = [
    ...deps.modules.map((path) => ({ kind: 'module', path }) as const),
    ...deps.storages.map((path) => ({ kind: 'storage', path }) as const),
  ]
  const start = (data: ModuleThreadData): Promise<RunningModule> =>
    startModule(data, limits, ({ level, message }) => log(level, message, { part: data.path }))
  const dataOf = (part: (typeof kinds)[number]) => ({ ...part, output: deps.output, pageTimeMs: limits.pageTimeMs })
  const started = await Promise.all(kinds.map((part) => start(dataOf(part))))
  refuseSameNames(started)
  const left = await persist(() => journal.open(run))
  const queue = createModuleQueue()
  queue.add(left.pages.map(answerOfJournal))
  const saved = new Map(left.checkpoints.map((each) => [each.module, each]))
  let lastSeq = Math.max(0, ...left.pages.map(({ seq }) => seq), ...left.checkpoints.map(({ seq }) => seq))

  function persist<T>(work: () => Promise<T>): Promise<T> {
    return retry(work, { firstMs: 100, lastMs: 1000, track: deps.track })
  }

  async function withBody(answer: Answer): Promise<Answer> {
    if (answer.body.kind !== 'version') return answer
    const kept = await persist(() => deps.readVersion(answer.versionId))
    if (kept === null) return { ...answer, body: { kind: 'none' } }
    const { body, type, headers } = kept
    return { ...answer, type: answer.type || type, headers, body: { kind: 'memory', bytes: body } }
  }

  const runners: ModuleRunner[] = started.map((first, at) =>
    createModuleRunner({
      ...{ kind: kinds[at]!.kind, queue, clock: deps.clock, first, limits, withBody },
      restart: () => start(dataOf(kinds[at]!)),
      checkpoint: saved.get(first.loaded.name) ?? null,
      save: (checkpoint: ModuleCheckpoint) => save(checkpoint),
      onFault: (module, url, { fault, message }) =>
        log('warn', `the module ${module} failed${url === '' ? '' : ' on a page'}: ${message}`, { module, url, fault }),
      onOff: (module, faults) =>
        log('warn', `the module ${module} is switched off after ${faults} faults; the crawl goes on without it`, {
          module,
        }),
    }),
  )

  async function save(checkpoint: ModuleCheckpoint): Promise<void> {
    const others = runners.filter(({ name }) => name !== checkpoint.module)
    const upTo = Math.min(checkpoint.seq, ...others.map((runner) => runner.saved()))
    await persist(() => journal.save(checkpoint, upTo))
    await queue.drop(upTo)
  }

  /** Drops pages that were only needed by modules that are now off. */
  async function dropUnneeded(): Promise<void> {
    const upTo = Math.min(lastSeq, ...runners.map((runner) => runner.saved()))
    if ((queue.after(0)?.seq ?? Number.POSITIVE_INFINITY) > upTo) return
    await persist(() => journal.drop(upTo))
    await queue.drop(upTo)
  }

  async function take(answers: readonly Answer[]): Promise<void> {
    const queued: QueuedAnswer[] = answers
      .filter((answer) => runners.some(({ wanted }) => isWanted(wanted, answer)))
      .map((answer) => ({ seq: ++lastSeq, answer }))
    if (queued.length === 0) return
    const pages = await Promise.all(queued.map(async (each) => journalPageOf(each, await bodyForJournal(each.answer))))
    await persist(() => journal.append(pages))
    queue.add(queued)
  }

  async function hasRoom(): Promise<void> {
    while (queue.size() >= MAX_QUEUED && !isStopped) {
      await dropUnneeded()
      if (queue.size() >= MAX_QUEUED) await queue.changed()
    }
  }

  /** Serialises `take`: sequence numbers must reach the journal in order. */
  let taking: Promise<void> = Promise.resolve()
  let isStopped = false
  const failure = Promise.withResolvers<never>()
  failure.promise.catch(() => {}) // observed by the caller; until then it must not end the process
  const running = Promise.all(runners.map((runner) => runner.run()))
  running.catch(failure.reject)
  const ports: MessagePort[] = []
  // Checkpoints come due while idle, too.
  const wake = setInterval(queue.wake, limits.checkpointEveryMs).unref()
  let stopped: Promise<ModuleReport[]> | null = null

  return {
    wanted: runners.map(({ wanted }) => wanted),
    failed: firstFailure([failure.promise]),
    connect(port) {
      ports.push(port)
      port.on('message', ({ id, answers }: FromOutlet) => {
        taking = taking.then(() => take(answers)).then(hasRoom)
        taking.then(() => port.postMessage({ id } satisfies ToOutlet), failure.reject)
      })
    },
    stop(how) {
      stopped ??= (async () => {
        isStopped = how === 'at-once'
        queue.wake()
        await taking
        for (const runner of runners) runner.stop(how)
        await running
        return runners.map((runner) => runner.report())
      })()
      return stopped
    },
    forget: () => persist(() => journal.clear()),
    reports: () => runners.map((runner) => runner.report()),
    async close() {
      clearInterval(wake)
      for (const port of ports) port.close()
      await journal.close()
    },
  }
}

/** The body, if the archive doesn't have it; others are read from there when needed. */
async function bodyForJournal({ versionId, body }: Answer): Promise<Uint8Array | null> {
  return versionId > 0 || body.kind === 'none' || body.kind === 'version' ? null : openBody(body).bytes()
}

function refuseSameNames(started: readonly RunningModule[]): void {
  const names = started.map(({ loaded }) => loaded.name)
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined)
    throw new AppError(
      'part-invalid',
      `two modules or storages are called ${twice}; their checkpoints need different names`,
    )
}
