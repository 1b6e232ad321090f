type Question<K, V> = { key: K; resolve(answer: V): void; reject(error: unknown): void }

/** Batches look-ups: the keys asked for within one microtask turn go to `ask` together, which answers them in order. */
export function createAskTogether<K, V>(ask: (keys: readonly K[]) => Promise<readonly V[]>): (key: K) => Promise<V> {
  let waiting: Question<K, V>[] = []

  async function askAll(): Promise<void> {
    const questions = waiting
    waiting = []
    try {
      const answers = await ask(questions.map(({ key }) => key))
      for (const [at, { resolve }] of questions.entries()) resolve(answers[at]!)
    } catch (error) {
      for (const { reject } of questions) reject(error)
    }
  }

  return (key) =>
    new Promise((resolve, reject) => {
      if (waiting.push({ key, resolve, reject }) === 1) queueMicrotask(askAll)
    })
}
