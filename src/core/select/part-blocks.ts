import type { Block, Blocks } from '../change/change.ts'
import { AppError } from '../errors.ts'
import type { Pattern } from '../pattern/pattern.ts'
import type { Aspect, Source } from '../profile.ts'
import { readBlocks } from '../text/blocks.ts'
import type { OmitRules } from '../text/omit-rules.ts'
import { isExhausted, isSpent, type WorkBudget } from '../work/work-budget.ts'
import { chosenKeys } from './json-part.ts'
import type { MarkedPage, PagePart, Selector } from './page-part.ts'
import { pageParts, readSelector } from './selector.ts'

/** The body of a version. */
export type Content = {
  readonly body: Uint8Array
  readonly contentType: string | undefined
  readonly omit: OmitRules | null
}

/** The part of its pages that a source watches. */
export type Part = Pick<Source, 'select' | 'omit'> & Partial<Pick<Source, 'aspects'>>

/**
 * - blocks: null if the type has no text. `elements` is the source of the part, for aspects other than text; absent for whole pages
 * - nothing: the selectors match nothing
 * - too-expensive: they took too much work
 */
export type PartBlocks =
  | { kind: 'blocks'; blocks: Blocks | null; elements?: string }
  | { kind: 'nothing' }
  | { kind: 'too-expensive' }

/** Equal for equal parts; '' for a whole page. */
export function partKey({ select, omit }: Part): string {
  return select.length + omit.length === 0 ? '' : JSON.stringify([select, omit])
}

type CompiledPart = {
  select: readonly Selector[]
  omit: readonly Selector[]
  /** Null if no selector is for pages. */
  page: PagePart | null
}

const MAX_COMPILED = 500

/** Cuts documents down to the part that a source watches. Selectors are compiled once. */
export function createPartReader(): (content: Content, part: Part, budget: WorkBudget) => PartBlocks {
  const compiled = new Map<string, CompiledPart>()

  function compiledFor(part: Part): CompiledPart {
    const key = partKey(part)
    const known = compiled.get(key)
    if (known !== undefined) return known
    const made = compilePart(part)
    if (compiled.size >= MAX_COMPILED) compiled.clear()
    compiled.set(key, made)
    return made
  }

  return (content, part, budget) => {
    const { body, contentType, omit } = content
    if (part.select.length + part.omit.length === 0) return { kind: 'blocks', blocks: readBlocks(body, content) }
    const use = compiledFor(part)
    let marked: MarkedPage | null = null
    let isPage = false
    const elements = {
      cut(page: Buffer, kind: 'html' | 'xhtml' | 'xml'): Buffer {
        const rest = omit?.elements?.cut(page, kind) ?? page
        if (use.page === null) return rest
        marked = use.page.mark(rest, kind !== 'html', budget)
        isPage = kind !== 'xml'
        return marked.kind === 'marked' ? marked.page : rest
      },
    }
    const blocks = readBlocks(body, { contentType, omit: { id: 0, patterns: omit?.patterns ?? [], elements } })
    if (blocks === null) return { kind: 'blocks', blocks }
    const aspects = isPage ? (part.aspects ?? []) : []
    return cutBlocks(blocks, content, { ...use, aspects }, marked, budget)
  }
}

/** Selectors that are no longer valid choose nothing. */
function compilePart({ select, omit }: Part): CompiledPart {
  const read = (sources: readonly string[]) =>
    sources.flatMap((source) => {
      try {
        return [readSelector(source)]
      } catch (error) {
        if (error instanceof AppError) return []
        throw error
      }
    })
  const selectors = { select: read(select), omit: read(omit) }
  const isForPages = ({ kind }: Selector) => kind === 'css' || kind === 'xpath'
  const forPages = { select: selectors.select.filter(isForPages), omit: selectors.omit.filter(isForPages) }
  const hasPages = forPages.select.length + forPages.omit.length > 0
  return { ...selectors, page: hasPages ? pageParts().createPagePart(forPages.select, forPages.omit) : null }
}

function cutBlocks(
  blocks: Blocks,
  content: Content,
  { select, omit, aspects }: CompiledPart & Pick<Source, 'aspects'>,
  marked: MarkedPage | null,
  budget: WorkBudget,
): PartBlocks {
  if (marked?.kind === 'too-expensive') return { kind: 'too-expensive' }
  const isIn = createMarkCut()
  try {
    const keys = blocks.kind === 'json' ? chosenKeys(content, { select, omit }, budget) : null
    const [wanted, unwanted] = [textTest(select, budget), textTest(omit, budget)]
    const kept: Block[] = []
    for (const block of blocks.blocks) {
      const { chosen, plain } = isIn(block.text)
      const isWhole = select.length === 0 || wanted(plain) || keys?.select(block.key) === true
      const text = isWhole ? plain : chosen
      const isOut = text === '' || unwanted(plain) || keys?.omit(block.key) === true
      if (!isOut) kept.push(withText(block, text))
    }
    for (const { place, text } of marked?.values ?? [])
      if (text !== '') kept.push({ kind: 'paragraph', text, trail: [], key: '', place, level: 0 })
    if (isSpent(budget)) return { kind: 'too-expensive' }
    // Patterns choose text, not elements.
    const elements = aspects.length === 0 ? '' : (marked?.elements ?? '')
    if (select.length > 0 && kept.length === 0 && !holdsAspect(elements, aspects)) return { kind: 'nothing' }
    return { kind: 'blocks', blocks: { ...blocks, title: withoutMarks(blocks.title), blocks: kept }, elements }
  } catch (error) {
    if (isExhausted(error)) return { kind: 'too-expensive' }
    throw error
  }
}

/** A part without text may be a picture, or a link around one. */
function holdsAspect(elements: string, aspects: readonly Aspect[]): boolean {
  return (
    (aspects.includes('images') && /<img\b/i.test(elements)) || (aspects.includes('links') && /<a\b/i.test(elements))
  )
}

function textTest(selectors: readonly Selector[], budget: WorkBudget): (text: string) => boolean {
  const patterns: Pattern[] = selectors.flatMap((each) => (each.kind === 'pattern' ? [each.pattern] : []))
  return (text) => patterns.some((pattern) => pattern.matches(text, budget))
}

function withText(block: Block, text: string): Block {
  const { title, link } = block
  return {
    ...block,
    text,
    trail: block.trail.map(withoutMarks),
    key: withoutMarks(block.key),
    ...(title !== undefined && { title: withoutMarks(title) }),
    ...(link !== undefined && { link: withoutMarks(link) }),
  }
}

/** As in `page-part`, which is not loaded here unless needed. */
const marks = /[\ufdd0\ufdd1]/g
const markedPiece = /[^\ufdd0\ufdd1]+|[\ufdd0\ufdd1]/g

function withoutMarks(text: string): string {
  return text.replace(marks, '')
}

/** Call for each block in turn: returns its text, and the part of it inside marks. Cells of a row stay separate. */
function createMarkCut(): (text: string) => { chosen: string; plain: string } {
  let isOn = false
  return (text) => {
    if (!isOn && text.search(marks) === -1) return { chosen: '', plain: text }
    let chosen = ''
    let gap = ''
    for (const [piece] of text.matchAll(markedPiece)) {
      if (piece === '\ufdd0') isOn = true
      else if (piece === '\ufdd1') isOn = false
      else if (isOn) {
        chosen += chosen === '' ? piece : gap + piece
        gap = ''
      } else gap += gap.includes('\t') || piece.includes('\t') ? '\t' : piece.trim() === '' ? piece : ' '
    }
    return { chosen: trimmed(chosen), plain: trimmed(withoutMarks(text)) }
  }
}

function trimmed(text: string): string {
  return text
    .replace(/ {2,}/g, ' ')
    .replace(/ ?\t ?/g, '\t')
    .replace(/^[\t ]+|[\t ]+$/g, '')
}
