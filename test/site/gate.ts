/** A promise that a test opens when it wants: an answer can be held back for exactly as long as needed, without a sleep. */
export type Gate = { opened: Promise<void>; open(): void }

export function createGate(): Gate {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { opened: promise, open: resolve }
}
