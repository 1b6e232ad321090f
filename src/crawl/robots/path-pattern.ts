import { bareQuery, normaliseOctets } from './path-octets.ts'

/**
 * A pattern is a list of pieces between `*`. Each piece is searched for once, from the end of the one before: the earliest match is always
 * good enough, so there is no backtracking and the work is bounded by path length times piece length.
 */
export type PathPattern = {
  /** Specificity: octets of the normalised pattern, `*` and `$` included. */
  readonly octets: number
  readonly pieces: readonly string[]
  /** The pieces with a bare query; null if that is the same. */
  readonly barePieces: readonly string[] | null
  /** The pattern ended in `$`: the last piece must end the path. */
  readonly anchored: boolean
}

/** A path ready for any number of comparisons. */
export type ComparedPath = { readonly text: string; readonly bareText: string | null }

/** Remaining character comparisons; shared by all patterns tried for one URL. */
export type StepBudget = { left: number }

export function compilePattern(octets: string): PathPattern {
  const rooted = octets.charCodeAt(0) === 0x2f || octets.charCodeAt(0) === 0x2a ? octets : `/${octets}`
  const anchored = rooted.endsWith('$')
  const raw = (anchored ? rooted.slice(0, -1) : rooted).split('*')
  const pieces = raw.map(normaliseOctets)
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0) + pieces.length - 1 + (anchored ? 1 : 0)
  const bare = barePiecesOf(pieces)
  const differs = bare.some((piece, index) => piece !== pieces[index])
  return {
    octets: length,
    pieces: withoutEmptyMiddle(pieces),
    barePieces: differs ? withoutEmptyMiddle(bare) : null,
    anchored,
  }
}

export function comparedPath(normalised: string): ComparedPath {
  const bare = bareQuery(normalised, normalised.indexOf('?'))
  return { text: normalised, bareText: bare === normalised ? null : bare }
}

/** Also false if the budget is spent; the caller must check it. */
export function matchesPath(pattern: PathPattern, path: ComparedPath, budget: StepBudget): boolean {
  if (matchesPieces(pattern.pieces, pattern.anchored, path.text, budget)) return true
  if (pattern.barePieces === null && path.bareText === null) return false
  return matchesPieces(pattern.barePieces ?? pattern.pieces, pattern.anchored, path.bareText ?? path.text, budget)
}

function matchesPieces(pieces: readonly string[], anchored: boolean, path: string, budget: StepBudget): boolean {
  const first = pieces[0]!
  if (!path.startsWith(first)) return false
  const last = pieces.length - 1
  if (last === 0) return !anchored || path.length === first.length
  let at = first.length
  for (let i = 1; i <= last; i++) {
    const piece = pieces[i]!
    if (i === last && anchored) return path.length - piece.length >= at && path.endsWith(piece)
    if (piece.length === 0) continue
    if (budget.left <= 0) return false
    const found = path.indexOf(piece, at)
    budget.left -= ((found < 0 ? path.length : found) - at + 1) * piece.length
    if (found < 0) return false
    at = found + piece.length
  }
  return true
}

function barePiecesOf(pieces: readonly string[]): string[] {
  let inQuery = false
  return pieces.map((piece) => {
    if (inQuery) return bareQuery(piece, 0)
    const mark = piece.indexOf('?')
    inQuery = mark >= 0
    return bareQuery(piece, mark)
  })
}

/** `**` is the same as `*`. The first and the last piece stay, even if empty: they are tied to the ends of the path. */
function withoutEmptyMiddle(pieces: readonly string[]): string[] {
  return pieces.filter((piece, index) => piece !== '' || index === 0 || index === pieces.length - 1)
}
