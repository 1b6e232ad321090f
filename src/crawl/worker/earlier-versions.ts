import type { DocumentKey, DocumentStore, KnownDocument } from '../../store/contracts/documents.ts'

type Question = { key: DocumentKey; resolve(known: KnownDocument | null): void; reject(error: unknown): void }

/** Asks what is known of documents. All that is asked in one turn is asked together, which costs half. */
export function createEarlierVersions(documents: DocumentStore): (key: DocumentKey) => Promise<KnownDocument | null> {
  let waiting: Question[] = []

  async function ask(): Promise<void> {
    const questions = waiting
    waiting = []
    try {
      const answers = await documents.find(questions.map(({ key }) => key))
      questions.forEach(({ resolve }, place) => {
        resolve(answers[place] ?? null)
      })
    } catch (error) {
      for (const { reject } of questions) reject(error)
    }
  }

  return (key) =>
    new Promise((resolve, reject) => {
      if (waiting.push({ key, resolve, reject }) === 1) queueMicrotask(ask)
    })
}
