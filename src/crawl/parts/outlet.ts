import type { MessagePort } from 'node:worker_threads'
import { withoutAccess } from '../../core/url/access.ts'
import type { Capture, CaptureOutcome } from '../../store/contracts/documents.ts'
import type { Finished } from '../worker/results/batch.ts'
import { type Answer, isWanted, type Wanted } from './answer.ts'
import type { Spool } from './rewindable-body.ts'

export type FromOutlet = { id: number; answers: readonly Answer[] }
export type ToOutlet = { id: number }

/** Sends results from a shard to the modules. A request is done only after they have its result. */
export type Outlet = {
  /** Notes the result of a request; nothing is sent yet. */
  note(finished: Finished, outcome: CaptureOutcome | null, partOutcomes: readonly CaptureOutcome[]): void
  /** Sends what was noted. Resolves when it is in the modules' journal and there is room for more: a crawl waits for slow modules. */
  hand(): Promise<void>
}

export type OutletDeps = { port: MessagePort; wanted: readonly Wanted[]; spool: Spool }

type Noted = Omit<Answer, 'body'> & { bytes: Uint8Array | null }

export function createOutlet({ port, wanted, spool }: OutletDeps): Outlet {
  const waiting = new Map<number, () => void>()
  let noted: Noted[] = []
  let lastId = 0
  let handed: Promise<void> = Promise.resolve()
  port.on('message', ({ id }: ToOutlet) => {
    waiting.get(id)?.()
    waiting.delete(id)
  })
  // Only the shard keeps its thread alive.
  port.unref()

  function add(answer: Noted | null): void {
    if (answer !== null && wanted.some((each) => isWanted(each, answer))) noted.push(answer)
  }

  async function send(answers: readonly Noted[]): Promise<void> {
    const ready: Answer[] = []
    for (const { bytes, ...answer } of answers) {
      if (bytes !== null) ready.push({ ...answer, body: await spool.keep(bytes) })
      else ready.push({ ...answer, body: { kind: answer.versionId > 0 ? 'version' : 'none' } })
    }
    const id = ++lastId
    await new Promise<void>((resolve) => {
      waiting.set(id, resolve)
      port.postMessage({ id, answers: ready } satisfies FromOutlet)
    })
  }

  return {
    note({ request, capture, parts = [], kept, again }, outcome, partOutcomes) {
      if (!again && capture !== null) add(answerOf(capture, outcome, kept?.versionId ?? 0))
      // It was stored before a crash, but may not have been handed over then.
      else if (!again && kept != null && kept.versionId > 0)
        add({ ...plain(request), status: 200, at: kept.checkedAt, kind: 'unchanged', versionId: kept.versionId })
      for (const [at, part] of parts.entries()) add(answerOf(part, partOutcomes[at]!, 0))
    },
    hand() {
      const answers = noted
      noted = []
      // Answers that another commit sent must have arrived, too.
      if (answers.length > 0) handed = handed.then(() => send(answers))
      return handed
    },
  }
}

function plain({ url, parent }: { url: string; parent: string }) {
  const none = { type: '', headers: [], location: '', reason: '', isCut: false, versionId: 0, bytes: null }
  return { ...none, url: withoutAccess(url), parent: withoutAccess(parent) }
}

/** `keptId`: the kept version, if the page is unchanged. */
function answerOf(capture: Capture, outcome: CaptureOutcome | null, keptId: number): Noted | null {
  const { status, at } = capture
  const base = { ...plain(capture), status, at }
  switch (capture.kind) {
    case 'body': {
      if (capture.answer === undefined || outcome?.kind === 'incomplete') return null
      const { body: bytes, headers } = capture.answer
      const isStored = outcome !== null && 'versionId' in outcome
      const facts = { type: capture.type, headers, isCut: capture.truncated !== '', bytes }
      const versionId = isStored ? outcome.versionId : keptId
      return { ...base, ...facts, kind: isStored ? 'stored' : 'unchanged', versionId }
    }
    case 'met':
      return keptId === 0 ? null : { ...base, kind: 'unchanged', versionId: keptId }
    case 'note':
    case 'gone':
      if (capture.outcome === 'unchanged')
        return keptId === 0 ? null : { ...base, status: 200, kind: 'unchanged', versionId: keptId }
      if (capture.outcome === 'skipped') return null
      return {
        ...{ ...base, kind: capture.outcome === 'redirect' ? 'redirect' : 'error' },
        ...{ location: capture.location, reason: capture.reason },
      }
  }
}
