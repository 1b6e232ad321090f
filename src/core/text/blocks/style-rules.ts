/**
 * Determines which elements a page's own `<style>` rules hide. Supports selectors of a single element: tag, `.class`, `#id`, `[hidden]`,
 * combinations of these (`li.old.ad`), and lists. All others are ignored, as are rules for media other than the screen. Of several rules
 * for one element the most specific wins, then the last.
 */
export type StyleRules = {
  /** Whether an element is hidden; null if no rule applies to it. */
  hides(element: StyledElement): boolean | null
}

export type StyledElement = {
  readonly name: string
  readonly id: string
  /** As written, separated by white space. */
  readonly classes: string
  readonly hasHidden: boolean
}

/** True if the declarations show the element, false if they hide it, null if they don't say. */
export type Shown = { readonly display: boolean | null; readonly visibility: boolean | null }

type Rule = {
  readonly tag: string
  readonly id: string
  readonly classes: readonly string[]
  readonly needsHidden: boolean
  /** By importance, then specificity, then order. */
  readonly weight: number
  readonly property: 'display' | 'visibility'
  readonly isShown: boolean
}

const maxStyleCharacters = 1024 * 1024
const maxRules = 2000
const maxRemembered = 2000
const maxClassCharacters = 2000
/** Maximum number of rules that begin with the same class, id or tag. */
const maxRulesOfName = 100

/** Null if they hide nothing, as on most pages. */
export function createStyleRules(sheets: readonly string[]): StyleRules | null {
  const rules = readSheets(sheets)
  if (!rules.some(({ isShown }) => !isShown)) return null
  const byTag = new Map<string, Rule[]>()
  const byId = new Map<string, Rule[]>()
  const byClass = new Map<string, Rule[]>()
  const byHidden: Rule[] = []
  for (const rule of rules) {
    if (rule.id !== '') push(byId, rule.id, rule)
    else if (rule.classes.length > 0) push(byClass, rule.classes[0]!, rule)
    else if (rule.tag !== '') push(byTag, rule.tag, rule)
    else if (byHidden.length < maxRulesOfName) byHidden.push(rule)
  }
  // The same few combinations recur with every list item.
  const remembered = new Map<string, Classes>()
  const classesOf = (text: string): Classes => {
    const known = remembered.get(text)
    if (known !== undefined) return known
    const names = new Set(text.slice(0, maxClassCharacters).split(/\s+/))
    const found = { names, rules: [...names].flatMap((name) => byClass.get(name) ?? none) }
    if (remembered.size >= maxRemembered) remembered.clear()
    remembered.set(text, found)
    return found
  }
  return {
    hides(element) {
      const { name, id, hasHidden } = element
      const classes = element.classes === '' || byClass.size === 0 ? noClasses : classesOf(element.classes)
      let display: Rule | null = null
      let visibility: Rule | null = null
      const consider = (candidates: readonly Rule[]): void => {
        for (const rule of candidates) {
          if (!applies(rule, element, classes.names)) continue
          if (rule.property === 'display') display = heavier(display, rule)
          else visibility = heavier(visibility, rule)
        }
      }
      if (byTag.size > 0) consider(byTag.get(name) ?? none)
      if (id !== '' && byId.size > 0) consider(byId.get(id) ?? none)
      consider(classes.rules)
      if (hasHidden) consider(byHidden)
      return verdict(display, visibility)
    },
  }
}

type Classes = { readonly names: ReadonlySet<string>; readonly rules: readonly Rule[] }

const none: readonly Rule[] = []
const noClasses: Classes = { names: new Set(), rules: none }

function verdict(display: Rule | null, visibility: Rule | null): boolean | null {
  if (display === null && visibility === null) return null
  return display?.isShown === false || visibility?.isShown === false
}

function heavier(one: Rule | null, other: Rule): Rule {
  return one === null || other.weight > one.weight ? other : one
}

function applies(rule: Rule, element: StyledElement, names: ReadonlySet<string>): boolean {
  const { tag, id, classes, needsHidden } = rule
  if (tag !== '' && tag !== element.name) return false
  if (id !== '' && id !== element.id) return false
  if (needsHidden && !element.hasHidden) return false
  return classes.every((name) => names.has(name))
}

function push(map: Map<string, Rule[]>, key: string, rule: Rule): void {
  const list = map.get(key)
  if (list === undefined) map.set(key, [rule])
  else if (list.length < maxRulesOfName) list.push(rule)
}

const hiding = /display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)/i

/** Quick check whether a style sheet may hide anything; most don't. */
export function mayHide(sheet: string): boolean {
  return hiding.test(sheet)
}

function readSheets(sheets: readonly string[]): Rule[] {
  const rules: Rule[] = []
  let left = maxStyleCharacters
  for (const sheet of sheets) {
    const text = sheet.slice(0, left).replace(/\/\*(?:[\s\S]*?\*\/|[\s\S]*$)/g, ' ')
    left -= Math.min(left, sheet.length)
    readRules(text, rules)
  }
  return rules
}

const forScreen = /^@(?:media\s+(?:only\s+)?(?:screen|all)|media|layer\b[^{;]*)\s*$/i

/** Collects rules in one pass over the sheet, descending only into at-rules that apply to the screen. */
function readRules(css: string, rules: Rule[]): void {
  const brace = /[{};"']/g
  let preludeAt = 0
  /** Number of open at-rules whose rules count. */
  let depth = 0
  for (let found = brace.exec(css); found !== null; found = brace.exec(css)) {
    const { index } = found
    const sign = found[0]
    if (sign === '"' || sign === "'") brace.lastIndex = afterString(css, index, sign)
    else if (sign === '}') {
      if (depth > 0) depth--
      preludeAt = index + 1
    } else if (sign === ';') preludeAt = index + 1
    else {
      const prelude = css.slice(preludeAt, index).trim()
      if (prelude.startsWith('@') && forScreen.test(prelude)) depth++
      else {
        const end = afterBlock(css, index + 1)
        if (!prelude.startsWith('@')) addRules(prelude, css.slice(index + 1, end - 1), rules)
        brace.lastIndex = end
      }
      preludeAt = brace.lastIndex
      if (rules.length >= maxRules) return
    }
  }
}

/** A string ends at its quote or, if unterminated, at the end of its line. */
function afterString(css: string, at: number, quote: string): number {
  for (let i = at + 1; i < css.length; i++) {
    const character = css[i]
    if (character === '\\') i++
    else if (character === quote || character === '\n') return i + 1
  }
  return css.length
}

/** `from` is after the opening brace. */
function afterBlock(css: string, from: number): number {
  const brace = /[{}"']/g
  brace.lastIndex = from
  let depth = 1
  for (let found = brace.exec(css); found !== null; found = brace.exec(css)) {
    const sign = found[0]
    if (sign === '{') depth++
    else if (sign === '}') {
      depth--
      if (depth === 0) return found.index + 1
    } else brace.lastIndex = afterString(css, found.index, sign)
  }
  return css.length + 1
}

type Declaration = {
  readonly property: 'display' | 'visibility'
  readonly isShown: boolean
  readonly isImportant: boolean
}

function readDeclarations(text: string): Declaration[] {
  const found: Declaration[] = []
  for (const each of text.split(';')) {
    const colon = each.indexOf(':')
    const property = each.slice(0, Math.max(colon, 0)).trim().toLowerCase()
    if (property !== 'display' && property !== 'visibility') continue
    const [value = '', ...rest] = each
      .slice(colon + 1)
      .toLowerCase()
      .split('!')
    const isShown = !/^(?:none|hidden|collapse)$/.test(value.trim())
    found.push({ property, isShown, isImportant: rest.length > 0 })
  }
  return found
}

function addRules(prelude: string, body: string, rules: Rule[]): void {
  if (!/display|visibility/i.test(body)) return
  // Rules nested in this one are for other elements.
  const own = body.includes('{') ? body.slice(0, body.lastIndexOf(';', body.indexOf('{')) + 1) : body
  const declared = readDeclarations(own)
  if (declared.length === 0) return
  for (const selector of prelude.split(',')) {
    const chosen = readSelector(selector.trim())
    if (chosen === null) continue
    for (const { property, isShown, isImportant } of declared) {
      const weight = (isImportant ? 1e12 : 0) + chosen.specificity * 1e6 + rules.length
      rules.push({ ...chosen, weight, property, isShown })
      if (rules.length >= maxRules) return
    }
  }
}

type Selector = Pick<Rule, 'tag' | 'id' | 'classes' | 'needsHidden'> & { readonly specificity: number }

const compound = /^(?:\*|[a-z][\w-]*)?(?:[.#][\w-]+|\[hidden\])*$/i

function readSelector(selector: string): Selector | null {
  if (selector === '' || selector === '*' || selector.length > 200 || !compound.test(selector)) return null
  const tag = /^[a-z][\w-]*/i.exec(selector)?.[0].toLowerCase() ?? ''
  const id = /#([\w-]+)/.exec(selector)?.[1] ?? ''
  const classes = [...selector.matchAll(/\.([\w-]+)/g)].map(([, name]) => name!)
  const needsHidden = selector.includes('[')
  const specificity = (id === '' ? 0 : 10_000) + (classes.length + (needsHidden ? 1 : 0)) * 100 + (tag === '' ? 0 : 1)
  return { tag, id, classes, needsHidden, specificity }
}

const nothing: Shown = { display: null, visibility: null }

/** What the declarations of a `style` attribute say. */
export function declaredIn(style: string): Shown {
  if (!/display|visibility/i.test(style)) return nothing
  let display: boolean | null = null
  let visibility: boolean | null = null
  for (const { property, isShown } of readDeclarations(style)) {
    if (property === 'display') display = isShown
    else visibility = isShown
  }
  return { display, visibility }
}
