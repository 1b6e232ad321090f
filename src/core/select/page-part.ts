import { compile, selectAll } from 'css-select'
import type { Pattern } from '../pattern/pattern.ts'
import {
  createPageTree,
  createTreeAdapter,
  type PageElement,
  type PageNode,
  type PageRoot,
  type PageText,
} from '../text/page-tree.ts'
import { createWorkBudget, isExhausted, isSpent, type WorkBudget } from '../work/work-budget.ts'
import { addImplied, impliedNames } from './implied-elements.ts'
import type { JsonPath } from './json-path-syntax.ts'
import { type PageAttribute, selectByXPath, type XPathNode } from './xpath.ts'
import type { XPath } from './xpath-syntax.ts'

/** A part of a document, in the language that fits its type, which is recognised by its syntax. */
export type Selector =
  | { readonly kind: 'css'; readonly source: string }
  | { readonly kind: 'xpath'; readonly path: XPath; readonly source: string }
  | { readonly kind: 'json'; readonly path: JsonPath }
  /** Chooses lines, and blocks of pages, by their text. */
  | { readonly kind: 'pattern'; readonly pattern: Pattern }

/** Marks around chosen text. These are noncharacters, which Unicode reserves for such internal use. */
export const BEGIN = '\ufdd0'
export const END = '\ufdd1'
const marks = /[\ufdd0\ufdd1]/g

/** A page in which chosen text is marked and omitted text is removed. */
export type MarkedPage =
  | {
      kind: 'marked'
      page: Buffer
      /** Number of chosen elements, texts and attributes. */
      chosen: number
      /** The source of the chosen elements, or of everything not omitted. */
      elements: string
      /** Values of chosen attributes, which are not part of any text. */
      values: { place: string; text: string }[]
    }
  /** Too large, too deep, or the selectors took too many steps. */
  | { kind: 'too-expensive' }

export type PagePart = { mark(page: Buffer, isXml: boolean, budget: WorkBudget): MarkedPage }

const maxPageBytes = 10 * 1024 * 1024
/** Parsing a page into a tree costs one step per this many bytes. */
const bytesPerStep = 1
/** Visiting a node takes as long as this many steps. */
const stepsPerNode = 8
/** Elements with invisible text, which must not be marked. */
const unseen = new Set(['script', 'style', 'template', 'noscript'])

type Choice = (root: PageRoot, budget: WorkBudget) => XPathNode[]

/**
 * Marks the text that `select` chooses and removes what `omit` does. Later stages read the whole page, so that chosen text keeps the
 * headings above it; see `part-blocks.ts`.
 */
export function createPagePart(select: readonly Selector[], omit: readonly Selector[]): PagePart {
  const adapter = createTreeAdapter()
  const implied = impliedNames([...select, ...omit].flatMap((each) => ('source' in each ? [each.source] : [])))

  function choiceOf(selectors: readonly Selector[], isXml: boolean): Choice[] {
    return selectors.flatMap((selector): Choice[] => {
      if (selector.kind === 'xpath') return [(root, budget) => selectByXPath(selector.path, root, isXml, budget)]
      if (selector.kind !== 'css') return []
      const test = compile<PageNode, PageElement>(selector.source, { adapter, xmlMode: isXml })
      return [(root) => selectAll<PageNode, PageElement>(test, root, { adapter, xmlMode: isXml })]
    })
  }
  const choices = (isXml: boolean) => ({ select: choiceOf(select, isXml), omit: choiceOf(omit, isXml) })
  const [html, xml] = [choices(false), choices(true)]

  return {
    mark(page, isXml, budget) {
      budget.left -= page.length / bytesPerStep
      if (page.length > maxPageBytes || isSpent(budget)) return { kind: 'too-expensive' }
      const source = page.toString('utf8').replace(marks, '')
      const root = createPageTree(source, isXml)
      if (root === null) return { kind: 'too-expensive' }
      if (!isXml && implied.size > 0) addImplied(root, implied)
      const { select: selecting, omit: omitting } = isXml ? xml : html
      const nodes = createWorkBudget(budget.left / stepsPerNode)
      adapter.begin(nodes)
      try {
        const chosen = new Set(selecting.flatMap((choose) => choose(root, nodes)))
        const left = omitting.flatMap((choose) => choose(root, nodes)).filter((node) => node.kind !== 'root')
        const values = [...chosen].filter((node) => node.kind === 'attribute').map(attributeText)
        const rest = selecting.length === 0 ? written(source, [], left) : cutOut(source, chosen, left)
        const marked = selecting.length === 0 ? rest : written(source, chosen, left)
        return { kind: 'marked', page: Buffer.from(marked), chosen: chosen.size, elements: rest, values }
      } catch (error) {
        if (isExhausted(error)) return { kind: 'too-expensive' }
        throw error
      } finally {
        budget.left = nodes.left * stepsPerNode
      }
    },
  }
}

/** Throws if it is invalid. */
export function checkCss(selector: string): void {
  if (selector === '') throw new Error('it is empty')
  if (/^[>+~]|[>+~]$/.test(selector))
    throw new Error(`nothing ${selector.match(/[>+~]$/) ? 'follows' : 'is before'} a combinator`)
  const adapter = createTreeAdapter()
  adapter.begin(createWorkBudget())
  compile<PageNode, PageElement>(selector, { adapter })
}

function attributeText({ name, value, parent }: PageAttribute): { place: string; text: string } {
  return { place: `${parent.name}/@${name}`, text: value.replace(/\s+/g, ' ').trim() }
}

type Edit = { start: number; end: number; text: string }

function written(source: string, chosen: Iterable<XPathNode>, left: readonly XPathNode[]): string {
  const texts = new Set<PageText>()
  for (const node of chosen) for (const text of textsOf(node)) texts.add(text)
  const edits: Edit[] = []
  for (const { start, end } of texts) edits.push({ start, end: start, text: BEGIN }, { start: end, end, text: END })
  for (const node of left) {
    if (node.kind === 'text') edits.push({ start: node.start, end: node.end, text: ' ' })
    // Keep its two tags, so that a block still separates the text before and after it.
    if (node.kind === 'element')
      edits.push({
        start: node.start,
        end: node.end,
        text: node.name === 'plaintext' ? '' : `<${node.name}></${node.name}>`,
      })
  }
  return edited(source, edits)
}

/** Only the chosen elements, in page order, with the base URL of their links. */
function cutOut(source: string, chosen: Iterable<XPathNode>, left: readonly XPathNode[]): string {
  const parts: string[] = /<base\b[^>]{0,2000}>/i.exec(source)?.slice(0, 1) ?? []
  const cuts = outermost(left)
  let next = 0
  for (const { start, end } of outermost(chosen)) {
    let at = start
    for (; next < cuts.length && cuts[next]!.start < end; next++) {
      const cut = cuts[next]!
      if (cut.end <= at) continue
      parts.push(source.slice(at, Math.max(at, cut.start)))
      at = cut.end
      if (at >= end) break
    }
    parts.push(source.slice(at, Math.max(at, end)))
  }
  return parts.join('\n')
}

/** The elements that are not inside another one, in page order. */
function outermost(nodes: Iterable<XPathNode>): PageElement[] {
  const elements = [...nodes]
    .filter((node) => node.kind === 'element')
    .sort((a, b) => a.start - b.start || b.end - a.end)
  let at = -1
  return elements.filter(({ start, end }) => {
    const isOuter = start >= at
    if (isOuter) at = end
    return isOuter
  })
}

/** Of nested edits the outer one counts; a mark goes before an edit that starts at the same place. */
function edited(source: string, edits: Edit[]): string {
  const isCut = ({ start, end }: Edit): number => Number(end > start)
  edits.sort((one, other) => one.start - other.start || isCut(one) - isCut(other) || other.end - one.end)
  const parts: string[] = []
  let at = 0
  for (const { start, end, text } of edits) {
    if (start < at) continue
    parts.push(source.slice(at, start), text)
    at = end
  }
  parts.push(source.slice(at))
  return parts.join('')
}

/** The texts in it that may be visible. White space between elements doesn't count. */
function* textsOf(node: XPathNode): Generator<PageText> {
  const pending: XPathNode[] = [node]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (next.kind === 'text') {
      if (next.text.trim() !== '') yield next
    } else if (next.kind !== 'attribute' && !(next.kind === 'element' && unseen.has(next.name))) {
      for (const child of next.children) pending.push(child)
    }
  }
}
