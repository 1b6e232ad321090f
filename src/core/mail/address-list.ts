const maxHostLength = 300

/**
 * A list of addresses without what only RFC 5322's older syntax allows: comments within names and angle brackets, routes, spaces around
 * dots. A comment after a bare address stays, as it is the name, and a bare address that begins with a quotation gets angle brackets, as
 * the quotation marks are part of it. Returned unchanged if brackets or quotes aren't closed.
 */
export function plainAddresses(field: string): string {
  if (!/[(<]|\s\.|"@/.test(field)) return field
  let result = ''
  // Both since the last separator.
  let isNamed = false
  let isBareAddress = false
  for (let at = 0; at < field.length; ) {
    const sign = field[at]!
    const end = sign === '"' ? quoteEnd(field, at) : sign === '(' ? commentEnd(field, at) : at + 1
    if (end === -1) return field
    if (sign === '<') {
      const inside = insideAngle(field, at)
      if (inside === null) return field
      result += `<${inside.address}>`
      isBareAddress = !isNamed
      at = inside.end
      continue
    }
    if (sign === '"' && field[end] === '@') {
      const host = /^@[^\s,;<>()"]*/.exec(field.slice(end, end + maxHostLength))![0]
      result += `<${field.slice(at, end)}${host}>`
      isBareAddress = !isNamed
      at = end + host.length
      continue
    }
    if (sign === '(') result += isBareAddress ? ` (${flat(field.slice(at + 1, end - 1))}) ` : ' '
    else result += field.slice(at, end)
    if (sign === ',' || sign === ';' || sign === ':') isNamed = isBareAddress = false
    else if (sign !== '(' && sign.trim() !== '') isNamed = true
    if (sign === '@') isBareAddress = true
    at = end
  }
  return result.replace(/@[\w-]{1,63}[ \t]{1,20}\.[ \t]{0,20}(?=\w)/g, (text) => text.replace(/[ \t]/g, ''))
}

function insideAngle(field: string, start: number): { address: string; end: number } | null {
  let address = ''
  for (let at = start + 1; at < field.length; ) {
    const sign = field[at]!
    if (sign === '<') return null
    if (sign === '>') return { address: withoutRoute(address), end: at + 1 }
    const end = sign === '"' ? quoteEnd(field, at) : sign === '(' ? commentEnd(field, at) : at + 1
    if (end === -1) return null
    if (sign !== '(') address += field.slice(at, end)
    at = end
  }
  return null
}

/** RFC 5322, 4.4: `<@relay.example:a@b>` is `<a@b>`. */
function withoutRoute(address: string): string {
  if (address.includes('"')) return address.trim()
  return address
    .replace(/(?<![ \t])[ \t]+(?=[.@])|(?<=[.@])[ \t]+/g, '')
    .trim()
    .replace(/^@[^:]*:\s*(?=[^@\s]+@)/, '')
}

/** Index behind the closing quote; -1 if there is none. */
function quoteEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '"') return at + 1
  }
  return -1
}

/** Index behind the bracket that closes a comment, which may contain others; -1 if there is none. */
function commentEnd(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '(') depth++
    else if (text[at] === ')' && --depth === 0) return at + 1
  }
  return -1
}

const flat = (comment: string): string => comment.replace(/[()\\]/g, '')
