/**
 * Text as it is indexed and looked for. What people take for the same is spelled the same (Greek accents, vowel points,
 * full-width letters, soft hyphens; case and Latin accents are the engines' own business), and words of scripts that put no space
 * between them stand apart. Most text has none of this and passes through as it is.
 */
export type SearchableText = {
  text: string
  /** Where in the given text a place of the searchable one came from. */
  origin(index: number): number
}

/** Stands between two words where the writer put nothing. Like the marks, no text that was made searchable holds it. */
const wordSeparator = '\u0001'
/** For engines that mark what they found within the text. */
export const markStart = '\u0002'
export const markEnd = '\u0003'

/** Thai, Lao, Burmese, Khmer, Japanese, Chinese. */
const unspaced =
  '\\u0e00-\\u0eff\\u1000-\\u109f\\u1780-\\u17ff\\u3005-\\u3007\\u3040-\\u30ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff\\uff66-\\uff9f\\u{20000}-\\u{3ffff}'
/** Greek with accents, the Russian io, ligatures, full-width digits and letters. */
const respelled =
  '\\u0386\\u0388-\\u0390\\u03aa-\\u03b0\\u03ca-\\u03ce\\u1f00-\\u1fff\\u0401\\u0451\\ufb00-\\ufb06\\uff10-\\uff19\\uff21-\\uff3a\\uff41-\\uff5a'
/** Soft hyphens, Hebrew and Arabic vowel points, the Arabic stretching line. */
const dropped = '\\u00ad\\u0591-\\u05bd\\u05bf\\u05c1\\u05c2\\u05c4\\u05c5\\u05c7\\u0640\\u064b-\\u065f\\u0670'

const special = new RegExp(`([${unspaced}]+)|([${respelled}])|([${dropped}]+)|[\\0-\\u0003]`, 'gu')
const anyUnspaced = new RegExp(`[${unspaced}]`, 'u')

/** Made with the first text that needs it: that takes 20 ms, and most commands see none. */
let segmenter: Intl.Segmenter | null = null
/** The dictionaries look at a run as a whole; a page without any space shall not become one. */
const MAX_RUN = 2_000

const same = (index: number): number => index

export function searchableText(text: string): SearchableText {
  special.lastIndex = 0
  if (!special.test(text)) return { text, origin: same }
  const pieces = createPieces(text)
  special.lastIndex = 0
  for (let match = special.exec(text); match !== null; match = special.exec(text)) {
    const [found, words, letter, nothing] = match
    const end = match.index + found.length
    pieces.keepUntil(match.index)
    if (words !== undefined) separate(words, match.index, pieces)
    else if (letter !== undefined) pieces.replace(respell(letter), end)
    else pieces.replace(nothing === undefined ? ' ' : '', end)
  }
  return pieces.finish()
}

/** Whether a word is of a script in which nobody can see where words end. */
export function isUnspaced(word: string): boolean {
  return anyUnspaced.test(word)
}

type Pieces = ReturnType<typeof createPieces>

/** Puts the new text together and remembers where its pieces were. */
function createPieces(text: string) {
  const starts: number[] = []
  const origins: number[] = []
  let made = ''
  let taken = 0
  function note(): void {
    starts.push(made.length)
    origins.push(taken)
  }
  function keepUntil(end: number): void {
    if (end === taken) return
    note()
    made += text.slice(taken, end)
    taken = end
  }
  return {
    keepUntil,
    replace(by: string, end: number): void {
      note()
      made += by
      taken = end
    },
    finish(): SearchableText {
      keepUntil(text.length)
      const origin = (index: number): number => {
        let low = 0
        for (let high = starts.length; high - low > 1; ) {
          const middle = (low + high) >> 1
          if (starts[middle]! <= index) low = middle
          else high = middle
        }
        return Math.min(origins[low]! + index - starts[low]!, origins[low + 1] ?? text.length)
      }
      return { text: made, origin }
    },
  }
}

function separate(run: string, start: number, pieces: Pieces): void {
  for (let from = 0; from < run.length; from += MAX_RUN) {
    segmenter ??= new Intl.Segmenter('und', { granularity: 'word' })
    for (const { index, segment } of segmenter.segment(run.slice(from, from + MAX_RUN))) {
      pieces.replace(wordSeparator, start + from + index)
      pieces.keepUntil(start + from + index + segment.length)
    }
  }
  pieces.replace(wordSeparator, start + run.length)
}

/** The letters alone, without their accents. */
function respell(letter: string): string {
  return letter.normalize('NFKD').replace(/\p{M}+/gu, '')
}
