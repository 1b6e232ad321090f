import { Parser } from 'htmlparser2'
import { createStyleRules, mayHide, type StyleRules } from '../../core/text/blocks/style-rules.ts'
import { maxDepth, parseBounded } from '../../core/text/page-tree.ts'
import { createBlockBuilder } from './block-builder.ts'
import type { Enclosing } from './inline-text.ts'
import { around, inBody, inMain, type MarkdownBlock, type Region } from './markdown-blocks.ts'
import { linkTarget } from './markdown-text.ts'

/** Maximum characters read of a page, and written as Markdown. */
const maxSource = 10_000_000
const maxStyleSheets = 200

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** Left out with their content. */
const swallowed = words('script style template title noembed noframes noscript iframe textarea desc metadata')
const blocks =
  words(`address article aside body center dd details dialog dir div dl dt fieldset figcaption figure footer
  form h1 h2 h3 h4 h5 h6 header hgroup html legend li main menu nav ol optgroup option p search section summary ul
  blockquote table caption colgroup tbody thead tfoot tr td th pre listing xmp plaintext video audio object`)
const surroundings = words('nav aside button select dialog menu datalist')
const marks: ReadonlyMap<string, Enclosing> = new Map<string, Enclosing>([
  ['b', { kind: 'mark', mark: '**' }],
  ['strong', { kind: 'mark', mark: '**' }],
  ['dt', { kind: 'mark', mark: '**' }],
  ['i', { kind: 'mark', mark: '*' }],
  ['em', { kind: 'mark', mark: '*' }],
  ['cite', { kind: 'mark', mark: '*' }],
  ['del', { kind: 'mark', mark: '~~' }],
  ['s', { kind: 'mark', mark: '~~' }],
  ['strike', { kind: 'mark', mark: '~~' }],
  ['code', { kind: 'code' }],
  ['kbd', { kind: 'code' }],
  ['samp', { kind: 'code' }],
  ['tt', { kind: 'code' }],
])

export type PageMarkdown = { title: string; blocks: MarkdownBlock[]; least: Region; isCut: boolean }

type Open = { name: string; isSwallowed: boolean; region: Region; close: (() => void) | null }

/**
 * The blocks of a page, in one pass over its source, without building a tree. Content hidden by attributes or by the page's own style
 * rules is left out, as are scripts, form fields and frames. `least` is the region with the main text.
 */
export function pageMarkdown(source: string, url: string, maxChars: number): PageMarkdown {
  const builder = createBlockBuilder()
  const open: Open[] = []
  const sheets: string[] = []
  let rules: StyleRules | null = null
  let base = url
  let isBased = false
  let title = ''
  let isTitle = false
  let sheet: string | null = null
  let hidden = 0
  let region: Region = inBody

  const isTooMuch = () => open.length > maxDepth || builder.size() > maxChars

  function isHiding(name: string, given: ReadonlyMap<string, string>): boolean {
    if (swallowed.has(name)) return true
    if (given.has('hidden') && given.get('hidden') !== 'until-found') return true
    if (name === 'dialog' && !given.has('open')) return true
    const style = given.get('style')
    if (style !== undefined && mayHide(style)) return true
    const element = {
      name,
      id: given.get('id') ?? '',
      classes: given.get('class') ?? '',
      hasHidden: false,
    }
    return rules?.hides(element) === true
  }

  function regionOf(name: string, given: ReadonlyMap<string, string>): Region {
    const role = given.get('role') ?? ''
    if (name === 'main' || name === 'article' || role === 'main' || role === 'article') return inMain
    if (surroundings.has(name) || /^(?:navigation|banner|contentinfo|complementary|search|dialog)$/.test(role))
      return around
    // The header and footer of an article belong to it.
    if ((name === 'header' || name === 'footer') && region !== inMain) return around
    return region
  }

  function openElement(name: string, given: ReadonlyMap<string, string>): (() => void) | null {
    const { inline } = builder
    if (blocks.has(name)) return builder.open(name, given, region)
    switch (name) {
      case 'br':
        builder.breakLine()
        return null
      case 'hr':
        builder.rule(region)
        return null
      case 'img': {
        const alt = given.get('alt')
        // An empty description marks a decoration.
        if (alt !== '') inline.picture(alt ?? '', given.get('src') ?? '', base)
        return null
      }
      case 'a': {
        const target = given.has('href') ? linkTarget(given.get('href')!, base) : null
        if (target === null) return null
        inline.open({ kind: 'link', target, name: given.get('aria-label') ?? given.get('title') ?? '' })
        return inline.close
      }
      case 'q':
        inline.text('“')
        return () => inline.text('”')
      default:
        return null
    }
  }

  function noteBase(href: string | undefined): void {
    if (isBased || href === undefined) return
    isBased = true
    const next = URL.parse(href, url)
    if (next !== null && /^https?:$/.test(next.protocol)) base = next.href
  }

  const parser: Parser = new Parser({
    onopentag(name, attributes) {
      const given = new Map(Object.entries(attributes))
      if (name === 'base') noteBase(given.get('href'))
      const isSwallowed = hidden > 0 || isHiding(name, given)
      const before = region
      if (isSwallowed) {
        if (hidden++ === 0 && name === 'style') sheet = ''
        isTitle = name === 'title' && title === '' && !open.some((each) => each.name === 'svg')
        open.push({ name, isSwallowed, region: before, close: null })
        return
      }
      region = regionOf(name, given)
      const closeBlock = openElement(name, given)
      const mark = builder.isCode() ? undefined : marks.get(name)
      if (mark !== undefined) builder.inline.open(mark)
      else if (name === 'code') builder.noteLanguage(given)
      open.push({
        name,
        isSwallowed,
        region: before,
        close: () => {
          if (mark !== undefined) builder.inline.close()
          closeBlock?.()
        },
      })
    },
    onclosetag() {
      const closed = open.pop()
      if (closed === undefined) return
      if (closed.isSwallowed) {
        hidden--
        isTitle = false
        if (closed.name === 'style' && sheet !== null) noteSheet()
        return
      }
      closed.close?.()
      region = closed.region
    },
    ontext(text) {
      if (hidden === 0) builder.text(text)
      else if (sheet !== null) sheet += text
      else if (isTitle) title += text
    },
  })

  function noteSheet(): void {
    if (mayHide(sheet!) && sheets.length < maxStyleSheets) {
      sheets.push(sheet!)
      rules = createStyleRules(sheets)
    }
    sheet = null
  }

  const isWhole = parseBounded(parser, source.slice(0, maxSource), isTooMuch)
  // At the end of the source the parser closes open elements itself.
  if (!isWhole) for (const each of open.reverse()) each.close?.()
  const { blocks: found, sizes } = builder.finish()
  return {
    title: title.replace(/\s+/g, ' ').trim(),
    blocks: found,
    least: leastOf(sizes),
    isCut: !isWhole || source.length > maxSource,
  }
}

const enough = 200

/** The page's own main part is used if it holds a fair share of the text. */
function leastOf([beside, body, main]: readonly [number, number, number]): Region {
  const total = beside + body + main
  if (main > 0 && (main >= enough || main * 4 >= total)) return inMain
  return (body + main) * 4 >= total ? inBody : around
}
