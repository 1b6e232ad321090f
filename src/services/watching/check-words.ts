/** What the leader tells the others of checks: which began and which ended. */
export type CheckWords = { begun: readonly number[]; ended: readonly number[] }

export const checksChannel = 'checks'

/** PostgreSQL takes 8000 bytes; a number has at most 16 digits. */
const AT_ONCE = 400

/** Texts that fit through a channel. One that ended after it began is only named as ended. */
export function wordsOf(checks: ReadonlyMap<number, 'begun' | 'ended'>): string[] {
  const all = [...checks]
  const texts: string[] = []
  for (let at = 0; at < all.length; at += AT_ONCE) {
    const some = all.slice(at, at + AT_ONCE)
    const those = (phase: string): number[] => some.flatMap(([watch, each]) => (each === phase ? [watch] : []))
    texts.push(JSON.stringify({ begun: those('begun'), ended: those('ended') }))
  }
  return texts
}

/** Null where it says nothing that can be understood, or that words were missed: look at everything again. */
export function readWords(text: string | null): CheckWords | null {
  try {
    const { begun, ended } = JSON.parse(text ?? '') as Record<string, unknown>
    return { begun: numbersIn(begun), ended: numbersIn(ended) }
  } catch {
    return null
  }
}

function numbersIn(value: unknown): number[] {
  return Array.isArray(value) ? value.filter((each) => Number.isSafeInteger(each)) : []
}
