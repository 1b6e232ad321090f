import { forbiddenAt } from './xml-text.ts'

/** Patterns of whole tokens, and their parsers. Each pattern takes linear time. */

const name = '[A-Za-z_:][A-Za-z0-9_.:-]*'
const space = '[ \\t\\r\\n]'
const nameAt = new RegExp(name, 'y')
const attributeAt = new RegExp(`${space}+(${name})${space}*=${space}*(?:"([^<"]*)"|'([^<']*)')`, 'y')
const tagEndAt = new RegExp(`${space}*(/?)>`, 'y')
export const endTag = new RegExp(`^</(${name})${space}*>$`)
export const doctype = new RegExp(
  `^<!DOCTYPE${space}+${name}(?:${space}+(?:SYSTEM|PUBLIC${space}+(?:"[^"]*"|'[^']*'))${space}+(?:"[^"]*"|'[^']*'))?${space}*>$`,
)
export const xmlDeclaration = new RegExp(
  `^<\\?xml${space}+version${space}*=${space}*["']1\\.[0-9]["']` +
    `(?:${space}+encoding${space}*=${space}*(?:"([A-Za-z][\\w.-]*)"|'([A-Za-z][\\w.-]*)'))?` +
    `(?:${space}+standalone${space}*=${space}*["'](?:yes|no)["'])?${space}*\\?>$`,
)
export const instruction = new RegExp(`^<\\?(${name})(?:${space}[^]*)?\\?>$`)
const noAttributes: ReadonlyMap<string, string> = new Map()

type Fail = (message: string, line: number) => never

export function parseTag(tag: string, line: number, fail: Fail) {
  nameAt.lastIndex = 1
  const tagName = nameAt.exec(tag)?.[0]
  if (tagName === undefined) fail('a "<" that does not start a tag', line)
  let attributes: Map<string, string> | null = null
  let at = nameAt.lastIndex
  for (;;) {
    attributeAt.lastIndex = at
    const found = attributeAt.exec(tag)
    if (found === null) break
    at = attributeAt.lastIndex
    attributes ??= new Map()
    const key = found[1]!
    if (attributes.has(key)) fail(`duplicate attribute ${key}`, line)
    attributes.set(key, attributeValue(found[2] ?? found[3]!, line, fail))
  }
  tagEndAt.lastIndex = at
  const end = tagEndAt.exec(tag)
  if (end === null || tagEndAt.lastIndex !== tag.length) fail(`the tag <${tagName}> is malformed`, line)
  return { name: tagName, attributes: attributes ?? noAttributes, isEmpty: end[1] === '/' }
}

/** Any white space in an attribute value becomes a blank, unless written as a reference. */
function attributeValue(raw: string, line: number, fail: Fail): string {
  return expand(/[\t\n\r]/.test(raw) ? withLineFeeds(raw).replace(/[\t\n]/g, ' ') : raw, line, fail)
}

export function isWhiteSpace(text: string): boolean {
  return !/[^ \t\r\n]/.test(text)
}

export function withLineFeeds(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text
}

const named: ReadonlyMap<string, string> = new Map(Object.entries({ lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }))

export function expand(raw: string, line: number, fail: Fail): string {
  const text = withLineFeeds(raw)
  if (!text.includes('&')) return text
  return text.replace(
    /&(?:(lt|gt|amp|quot|apos)|#(\d{1,10})|#x([0-9a-fA-F]{1,8}));|&[^;\s<&]{0,30};?/g,
    (all, entity, dec, hex) => {
      if (entity !== undefined) return named.get(entity)!
      const code = dec === undefined ? Number.parseInt(hex ?? '-1', 16) : Number(dec)
      const character = code >= 0 && code <= 0x10ffff ? String.fromCodePoint(code) : null
      if (character === null || forbiddenAt(character) >= 0) return fail(`invalid reference ${all}`, line)
      return character
    },
  )
}
