import type { JournalPage } from '../../store/contracts/module-journal.ts'
import type { Answer } from './answer.ts'
import { type BodyData, dropBody } from './rewindable-body.ts'

export type QueuedAnswer = { seq: number; answer: Answer }

/** Answers waiting for modules, or for their checkpoints. Every module reads all of them at its own pace. */
export type ModuleQueue = {
  add(answers: readonly QueuedAnswer[]): void
  /** The first answer after this sequence number; undefined if there is none yet. */
  after(seq: number): QueuedAnswer | undefined
  /** Removes answers that no module needs any more. */
  drop(upTo: number): Promise<void>
  size(): number
  /** Resolves when answers were added or dropped, or on `wake`. */
  changed(): Promise<void>
  wake(): void
}

export function createModuleQueue(): ModuleQueue {
  let entries: QueuedAnswer[] = []
  let change = Promise.withResolvers<void>()

  function wake(): void {
    const { resolve } = change
    change = Promise.withResolvers()
    resolve()
  }

  return {
    add(answers) {
      entries.push(...answers)
      wake()
    },
    after(seq) {
      // Sequence numbers are consecutive; those of a journal may start anywhere.
      const first = entries[0]?.seq ?? 0
      const at = Math.max(0, seq + 1 - first)
      return entries[at]
    },
    async drop(upTo) {
      const dropped = entries.filter(({ seq }) => seq <= upTo)
      if (dropped.length === 0) return
      entries = entries.slice(dropped.length)
      wake()
      for (const { answer } of dropped) await dropBody(answer.body)
    },
    size: () => entries.length,
    changed: () => change.promise,
    wake,
  }
}

/** Converts an answer for the journal: a body in the archive is not written twice. */
export function journalPageOf({ seq, answer }: QueuedAnswer, body: Uint8Array | null): JournalPage {
  const { body: _, ...facts } = answer
  return { seq, answer: JSON.stringify(facts), body }
}

/** Converts a journal entry of an earlier process. */
export function answerOfJournal({ seq, answer, body }: JournalPage): QueuedAnswer {
  const facts = JSON.parse(answer) as Omit<Answer, 'body'>
  const data: BodyData =
    body !== null ? { kind: 'memory', bytes: body } : facts.versionId > 0 ? { kind: 'version' } : { kind: 'none' }
  return { seq, answer: { ...facts, body: data } }
}
