const token = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+"
const wellFormed = new RegExp(`^[\\t\\n\\r ]*(${token}/${token})[\\t\\n\\r ]*$`)
/** Members of a list; a comma inside quotes separates nothing. */
const member = /(?:[^",]|"(?:[^"\\]|\\[\s\S])*(?:"|\\?$))+/g
/** Sent by servers that don't know the type. */
const unknown: ReadonlySet<string> = new Set(['*/*', 'unknown/unknown', 'application/unknown'])
const maxHeaderLength = 4096

/**
 * Type and subtype of a Content-Type header, in lower case; '' if it names none, so that the content has to decide. Of several values, sent
 * as one list or as several fields joined by commas, the last well-formed one counts, as in the Fetch standard.
 */
export function essenceOf(contentType: string): string {
  const usual = essenceOfOne(contentType)
  if (usual !== '' && !contentType.includes(',')) return unknown.has(usual) ? '' : usual
  let last = ''
  for (const [value] of contentType.slice(0, maxHeaderLength).matchAll(member)) {
    const essence = essenceOfOne(value)
    if (essence !== '' && essence !== '*/*') last = essence
  }
  return unknown.has(last) ? '' : last
}

function essenceOfOne(value: string): string {
  const end = value.indexOf(';')
  const [, essence = ''] = wellFormed.exec(end === -1 ? value : value.slice(0, end)) ?? []
  return essence.toLowerCase()
}
