export type Endings = {
  /** The least that must be left of a word. */
  minStem: number
  /** Of each round the longest that fits is taken off, if any. An entry is `ending` or `ending>replacement`. */
  rounds: readonly (readonly string[])[]
}

/**
 * Takes common endings of nouns, adjectives and verbs off. It knows no exceptions and no roots: it errs towards leaving a
 * word as it is.
 */
export function createLightStemmer({ minStem, rounds }: Endings): (word: string) => string {
  const prepared = rounds.map((round) =>
    round
      .map((entry) => {
        const [ending = '', by = ''] = entry.split('>')
        return { ending, by }
      })
      .sort((a, b) => b.ending.length - a.ending.length),
  )
  return (word) => {
    let stem = word
    for (const round of prepared) {
      const found = round.find(({ ending }) => stem.length - ending.length >= minStem && stem.endsWith(ending))
      if (found !== undefined) stem = stem.slice(0, stem.length - found.ending.length) + found.by
    }
    return stem
  }
}
