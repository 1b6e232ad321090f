import { detectLanguage } from './language.ts'
import { AUTO } from './spaces.ts'
import { foldedView, stemmedView } from './stem/stemmed-view.ts'
import { TermView } from './term-view.ts'
import { MAX_TOKENS, TokenReader } from './tokens.ts'

export type DocumentSource = {
  url: string
  title: string
  /** The visible text. If it begins with the title, that part is taken as the title and not counted twice. */
  text: string
  /** Each line is a block of its own, and no phrase spans two lines. Otherwise lines are just wrapped text. */
  hasBlocks?: boolean
  /** The language stated by the page. */
  language?: string | undefined
}

/**
 * A document as input of matching: its words, their positions, and their stems under each stemmer that a profile needs. Created
 * once per document; everything else is looked up here.
 */
export type DocumentTerms = {
  readonly title: string
  readonly text: string
  /** In lower case, without port; '' if the URL has none. */
  readonly host: string
  readonly tokens: number
  /** Number of tokens in the title, which come first. */
  readonly titleTokens: number
  /** Position of each token: in `title` for the first ones, in `text` for the others. */
  readonly starts: Uint32Array
  readonly ends: Uint32Array
  /** Offset of the body in `text`, after the title. */
  readonly bodyStart: number
  readonly hasBlocks: boolean
  /** The document has more words than the limit. */
  readonly isCut: boolean
  readonly plain: TermView
  /** Two-letter code; '' if unknown. */
  readonly language: string
  /** The terms by stemming: without stems for '' or a language without stemmer; `auto` is the document's own language. */
  view(stemming: string): TermView
}

export function readDocument(source: DocumentSource, limits: { maxTokens?: number } = {}): DocumentTerms {
  const { title, text } = source
  const reader = new TokenReader(limits.maxTokens ?? MAX_TOKENS)
  reader.read(title)
  const titleTokens = reader.tokens
  const bodyStart = beginsWithTitle(text, title) ? Math.min(title.length + 1, text.length) : 0
  reader.read(text, bodyStart)
  const { table, tokens, termOf, starts, ends, counts, accented, isCut } = reader.finish()
  const spelled = new TermView(table, tokens, termOf, counts)
  const plain = accented.length === 0 ? spelled : foldedView(spelled, accented)
  const views = new Map<string, TermView>()
  let language: string | null = null
  const document: DocumentTerms = {
    title,
    text,
    host: hostOf(source.url),
    tokens,
    titleTokens,
    starts,
    ends,
    bodyStart,
    hasBlocks: source.hasBlocks === true,
    isCut,
    plain,
    get language() {
      language ??= detectLanguage(plain, source.language)
      return language
    },
    view(stemming) {
      if (stemming === '') return plain
      if (stemming === AUTO) return document.view(document.language)
      const known = views.get(stemming)
      if (known !== undefined) return known
      const view = stemmedView(spelled, stemming) ?? plain
      views.set(stemming, view)
      return view
    },
  }
  return document
}

function beginsWithTitle(text: string, title: string): boolean {
  if (title === '' || !text.startsWith(title)) return false
  const next = text[title.length]
  return next === undefined || next === ' ' || next === '\n'
}

function hostOf(url: string): string {
  const host = URL.parse(url)?.hostname ?? ''
  return host.startsWith('[') ? host.slice(1, -1) : host.replace(/\.$/, '')
}
