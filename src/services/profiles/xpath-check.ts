const MAX_LENGTH = 1000
/** The engine recurses into brackets, on a small stack. */
const MAX_NESTING = 30

/** Why a query is rejected without trying it, or null. */
export function xpathFault(xpath: string): string | null {
  if (xpath.trim() === '') return 'the query is empty'
  if (xpath.length > MAX_LENGTH) return `the query has ${xpath.length} characters; the maximum is ${MAX_LENGTH}`
  if (/[\p{Cs}\0]/u.test(xpath)) return 'the query contains a character that is not allowed in XML'
  let depth = 0
  // Quoted text is skipped; the engine rejects unbalanced quotes.
  for (const [mark] of xpath.replace(/"[^"]*"|'[^']*'/g, '').matchAll(/[([)\]]/g)) {
    depth += mark === '(' || mark === '[' ? 1 : -1
    if (depth > MAX_NESTING) return `brackets are nested more than ${MAX_NESTING} levels deep`
  }
  return null
}
