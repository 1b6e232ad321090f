import { type CssToken, type CssTokens, createCssTokens, plainName } from '../css/css-tokens.ts'
import { importedSheet, readCssImport } from './css-import.ts'
import { inertDataUrl } from './inert-url.ts'

/** What a style sheet may reach: replacements for addresses as they are written in it; null for none. */
export type CssReach = {
  /** An inline picture or font. */
  picture(address: string): string | null
  /** An imported sheet, made inert. */
  sheet(address: string): string | null
}

/**
 * Makes a style sheet, or the value of a style attribute, load nothing: every token is parsed and written anew, so that a browser reads
 * exactly what was checked here. Rules and functions not known to be harmless are dropped; `url()` keeps references within the page, inline
 * pictures and fonts, and what `reach` replaces. The result has no `<` that could begin a tag, wherever it is put in a page.
 */
export function inertCss(source: string, reach?: CssReach): string {
  const tokens = createCssTokens(source)
  const parts: string[] = []
  /** Imports are valid only before all rules with blocks. */
  let mayImport = reach !== undefined
  for (let token = tokens.next(); token !== null; token = tokens.next()) {
    if (token.kind === 'plain' && token.text === '{') mayImport = false
    switch (token.kind) {
      case 'url':
        parts.push(inertUrl(token.text, reach))
        break
      case 'function':
        if (functions.has(plainName(token.text))) parts.push(`${identText(token.text)}(`)
        else {
          const address = plainName(token.text) === 'url' ? tokens.string() : null
          skipTo(tokens, ')')
          parts.push(address === null ? 'removed()' : inertUrl(address, reach))
        }
        break
      case 'at':
        if (atRules.has(plainName(token.text))) parts.push(`@${identText(token.text)}`)
        else if (mayImport && plainName(token.text) === 'import') parts.push(inlineImport(tokens, reach!))
        else parts.push(skipRule(tokens))
        break
      default:
        parts.push(tokenText(token))
    }
  }
  return parts.join('')
}

function inlineImport(tokens: CssTokens, reach: CssReach): string {
  const found = readCssImport(tokens, conditionText)
  const sheet = found === null ? null : reach.sheet(found.address)
  return sheet === null ? ' ' : importedSheet(sheet, found!.around)
}

function conditionText(token: CssToken): string {
  if (token.kind !== 'function') return tokenText(token)
  return functions.has(plainName(token.text)) ? `${identText(token.text)}(` : 'removed('
}

/** A token that can't load anything by itself. */
function tokenText({ kind, text }: CssToken): string {
  switch (kind) {
    case 'ident':
      return identText(text)
    case 'hash':
      return `#${text.replace(/[^\w\u0080-\uffff-]/g, escapeSign)}`
    case 'string':
      return stringText(text)
    case 'plain':
    case 'blank':
      return text
    default:
      return 'removed()'
  }
}

/** Skips to the end of an open block or function, including nested ones. */
function skipTo(tokens: CssTokens, end: string): void {
  const ends = [end]
  for (let token = tokens.next(); token !== null; token = tokens.next()) {
    if (token.kind === 'function') ends.push(')')
    if (token.kind !== 'plain') continue
    const closing = closings.get(token.text)
    if (closing !== undefined) ends.push(closing)
    else if (token.text === ends.at(-1)) ends.pop()
    if (ends.length === 0) return
  }
}

/** Skips an at-rule: up to its semicolon, or to the end of its block. Returns its replacement. */
function skipRule(tokens: CssTokens): string {
  for (let token = tokens.next(); token !== null; token = tokens.next()) {
    if (token.kind === 'function') skipTo(tokens, ')')
    if (token.kind !== 'plain') continue
    if (token.text === ';') return ' '
    // The end of the enclosing block.
    if (token.text === '}') return '}'
    const closing = closings.get(token.text)
    if (closing !== undefined) skipTo(tokens, closing)
    if (closing === '}') return ' '
  }
  return ' '
}

const closings: ReadonlyMap<string, string> = new Map([
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
])

const escapeSign = (sign: string): string => `\\${sign.charCodeAt(0).toString(16)} `

function identText(text: string): string {
  const safe = text.replace(/[^\w\u0080-\uffff-]/g, escapeSign)
  return safe.replace(/^-?\d|^-$/, (start) => start.slice(0, -1) + escapeSign(start.at(-1)!))
}

function stringText(text: string): string {
  return `"${text.replace(/["\\<>&\p{Cc}]/gu, escapeSign)}"`
}

/** Replaces an address that must not be loaded by an empty one, so that the rest of its declaration stays effective. */
function inertUrl(address: string, reach: CssReach | undefined): string {
  const kept = /^#[\w-]+$/.test(address) ? address : (inertDataUrl(address) ?? reach?.picture(address) ?? null)
  return `url(${stringText(kept ?? 'data:,')})`
}

const words = (text: string): string[] => text.trim().split(/\s+/)

const atRules: ReadonlySet<string> = new Set(
  words(`media supports font-face keyframes page layer container counter-style property scope starting-style
    font-feature-values position-try`),
)

/** Functions that can't load anything; `url` is handled separately. */
const functions: ReadonlySet<string> = new Set(
  words(`calc calc-size min max clamp round mod rem sin cos tan asin acos atan atan2 pow sqrt hypot log exp abs sign
    rgb rgba hsl hsla hwb lab lch oklab oklch color color-mix light-dark contrast-color
    linear-gradient radial-gradient conic-gradient repeating-linear-gradient repeating-radial-gradient
    repeating-conic-gradient gradient color-stop from to
    matrix matrix3d translate translatex translatey translatez translate3d scale scalex scaley scalez scale3d rotate
    rotatex rotatey rotatez rotate3d skew skewx skewy perspective
    blur brightness contrast drop-shadow grayscale hue-rotate invert opacity saturate sepia alpha
    cubic-bezier steps linear repeat minmax fit-content circle ellipse inset polygon path rect xywh shape ray
    var env attr counter counters symbols local format tech anchor anchor-size scroll view
    not is where has matches any nth-child nth-last-child nth-of-type nth-last-of-type lang dir host host-context slotted
    part state selector style scroll-state stylistic styleset character-variant swash ornaments annotation`),
)
