/** Longer addresses are not linked. */
const maxAddress = 8192

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that no text may hold
const controls = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/g

/** Escapes text so that no character starts markup, a tag or an entity. */
export function escapeMarkdown(text: string): string {
  return text
    .toWellFormed()
    .replace(controls, '')
    .replace(/[\\`*[\]<|~]/g, '\\$&')
    .replace(/_(?![\p{L}\p{N}])|(?<![\p{L}\p{N}])_/gu, '\\_')
    .replace(/&(?=#?\w{1,40};)/g, '\\&')
}

/** Escapes the start of a line that would make it a heading, an item, a quote, a rule or a table. */
export function guardLine(line: string): string {
  return line
    .replace(/^(#{1,6}(?=\s|$)|[-+](?=\s|-|$)|=|>|:(?=-))/, '\\$1')
    .replace(/^(\d{1,9})([.)])(?=\s|$)/, '$1\\$2')
}

/** The absolute address of a link, written for Markdown; null unless it is opened as a page, a file or a mail. */
export function linkTarget(href: string, base: string): string | null {
  if (href.length > maxAddress) return null
  const url = URL.parse(href.trim(), base)
  if (url === null || url.href.length > maxAddress || !/^(?:https?|ftps?|mailto):$/.test(url.protocol)) return null
  url.username = url.password = ''
  const address = url.href
    .toWellFormed()
    .replace(/[\s<>\\|]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)
    .replace(/&(?=#?\w{1,40};)/g, '&amp;')
  return /[()]/.test(address) ? `<${address}>` : address
}

export function codeSpan(text: string): string {
  const shown = text.toWellFormed().replace(controls, '').replace(/\s+/g, ' ').trim()
  if (shown === '') return ''
  const fence = '`'.repeat(longestRun(shown) + 1)
  const space = /^`|`$/.test(shown) ? ' ' : ''
  return `${fence}${space}${shown}${space}${fence}`
}

export function codeBlock(text: string, language: string): string {
  const shown = text.toWellFormed().replace(/\r\n?/g, '\n').replace(controls, '').replace(/^\n/, '').trimEnd()
  const fence = '`'.repeat(Math.max(3, longestRun(shown) + 1))
  return `${fence}${/^[\w+#-]{1,30}$/.test(language) ? language : ''}\n${shown}\n${fence}`
}

function longestRun(text: string): number {
  let longest = 0
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length)
  return longest
}

/** Front matter with a document's metadata, as YAML that any reader accepts. */
export function frontMatter(fields: Readonly<Record<string, string | number>>): string {
  // A JSON string is also a YAML string, except for line separators, which YAML reads differently.
  const value = (given: string | number): string =>
    JSON.stringify(typeof given === 'string' ? given.toWellFormed() : given).replace(
      /[\u0085\u2028\u2029]/g,
      (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
  return `---\n${Object.entries(fields)
    .map(([name, given]) => `${name}: ${value(given)}\n`)
    .join('')}---\n\n`
}
