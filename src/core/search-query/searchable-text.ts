/**
 * Text as indexed and searched. Variants that people consider equal are normalised (Greek accents, vowel points, full-width letters, soft
 * hyphens; case and Latin accents are left to the engines), and words of scripts without spaces are separated. Most text needs none of this
 * and is returned unchanged.
 */
export type SearchableText = {
  text: string
  /** Maps an index of the searchable text to one of the original text. */
  origin(index: number): number
}

/** Inserted between words that are written without a space. Like the marks, it never occurs in searchable text otherwise. */
const wordSeparator = '\u0001'
/** For engines that mark hits within the text. */
export const markStart = '\u0002'
export const markEnd = '\u0003'

/** Thai, Lao, Burmese, Khmer, Japanese, Chinese. */
const unspaced =
  '\\u0e00-\\u0eff\\u1000-\\u109f\\u1780-\\u17ff\\u3005-\\u3007\\u3040-\\u30ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff\\uff66-\\uff9f\\u{20000}-\\u{3ffff}'
/** Accented Greek, the Russian io, ligatures, full-width digits and letters. */
const respelled =
  '\\u0386\\u0388-\\u0390\\u03aa-\\u03b0\\u03ca-\\u03ce\\u1f00-\\u1fff\\u0401\\u0451\\ufb00-\\ufb06\\uff10-\\uff19\\uff21-\\uff3a\\uff41-\\uff5a'
/** Soft hyphens, Hebrew and Arabic vowel points, the Arabic tatweel. */
const dropped = '\\u00ad\\u0591-\\u05bd\\u05bf\\u05c1\\u05c2\\u05c4\\u05c5\\u05c7\\u0640\\u064b-\\u065f\\u0670'

const special = new RegExp(`([${unspaced}]+)|([${respelled}])|([${dropped}]+)|[\\0-\\u0003]`, 'gu')
const anyUnspaced = new RegExp(`[${unspaced}]`, 'u')

/** Created for the first text that needs it: that takes 20 ms, and most commands don't. */
let segmenter: Intl.Segmenter | null = null
/** Maximum length segmented at once: the dictionaries process a run as a whole, and a page without spaces must not become one. */
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

/** Whether a word is in a script without spaces between words. */
export function isUnspaced(word: string): boolean {
  return anyUnspaced.test(word)
}

type Pieces = ReturnType<typeof createPieces>

/** Builds the new text and records where its pieces came from. */
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

/** The letters without accents. */
function respell(letter: string): string {
  return letter.normalize('NFKD').replace(/\p{M}+/gu, '')
}
