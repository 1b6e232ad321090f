import { relative } from 'node:path'
import { type Expression, type Node, type SourceFile, SyntaxKind } from 'typescript/unstable/ast'
import {
  isAsExpression,
  isBinaryExpression,
  isElementAccessExpression,
  isFunctionLikeDeclaration,
  isNonNullExpression,
  isParenthesizedExpression,
  isSatisfiesExpression,
  isTemplateExpression,
  isVariableDeclaration,
} from 'typescript/unstable/ast/is'
import { API, type Checker, type Project, type Type, TypeFlags } from 'typescript/unstable/sync'

/**
 * Finds look-ups in plain objects by an untrusted key. `table[word]` also finds inherited properties: for "constructor" it is a
 * function. Reports `table[key]`, read or written, and `key in table`, if the type of the key is `string` (ignoring casts) and the
 * table is neither an array nor a string.
 *
 * Not reported, since they can't find inherited properties:
 * - the same function calls `Object.hasOwn(table, key)`, with the same two expressions;
 * - the table is declared as `Object.create(null)`;
 * - the key is the variable of a loop over the table's own keys;
 * - the key is a template with a prefix that no inherited name has.
 */
export type ForeignLookup = { file: string; line: number; text: string }

export type LookupSearch = {
  /** Root folder of the repository; `configs` are its `tsconfig.json` files, relative to it. */
  root: string
  configs: readonly string[]
  /** Whether to search a file, by its path from the root. */
  isSearched(path: string): boolean
}

type Candidate = { node: Node; table: Expression; key: Expression }

export function findForeignLookups({ root, configs, isSearched }: LookupSearch): ForeignLookup[] {
  const api = new API({ cwd: root })
  try {
    const snapshot = api.updateSnapshot({ openProjects: configs.map((config) => `${root}/${config}`) })
    const found = new Map<string, ForeignLookup>()
    for (const project of snapshot.getProjects())
      for (const name of project.program.getSourceFileNames()) {
        const file = relative(root, name)
        if (!isSearched(file)) continue
        for (const lookup of lookupsOf(project, project.program.getSourceFile(name)!, file))
          found.set(`${file}:${lookup.line}:${lookup.text}`, lookup)
      }
    return [...found.values()].sort((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1))
  } finally {
    api.close()
  }
}

function lookupsOf({ checker }: Project, source: SourceFile, file: string): ForeignLookup[] {
  const candidates = candidatesOf(source)
  if (candidates.length === 0) return []
  const keys = checker.getTypeAtLocation(candidates.map(({ key }) => key))
  const tables = checker.getTypeAtLocation(candidates.map(({ table }) => table))
  return candidates
    .filter((_, n) => isForeign(keys[n]) && isPlainObject(checker, tables[n]))
    .filter((candidate) => !isPrefixed(candidate.key) && !isGuarded(candidate, source))
    .filter(({ table }) => !isBare(checker, table, source))
    .map(({ node }) => ({ file, line: lineOf(source, node), text: textOf(node, source) }))
}

function candidatesOf(source: SourceFile): Candidate[] {
  const candidates: Candidate[] = []
  const visit = (node: Node): void => {
    if (isElementAccessExpression(node))
      candidates.push({ node, table: plain(node.expression), key: plain(node.argumentExpression) })
    else if (isBinaryExpression(node) && node.operatorToken.kind === SyntaxKind.InKeyword)
      candidates.push({ node, table: plain(node.right), key: plain(node.left) })
    node.forEachChild(visit)
  }
  visit(source)
  return candidates
}

/** Strips syntax that only affects types. */
function plain(expression: Expression): Expression {
  let inner = expression
  while (
    isAsExpression(inner) ||
    isNonNullExpression(inner) ||
    isParenthesizedExpression(inner) ||
    isSatisfiesExpression(inner)
  )
    inner = inner.expression
  return inner
}

const anyText =
  TypeFlags.String | TypeFlags.Any | TypeFlags.Unknown | TypeFlags.TemplateLiteral | TypeFlags.StringMapping

function isForeign(type: Type | undefined): boolean {
  if (type === undefined) return true
  if (type.isUnionType()) return type.getTypes()!.some(isForeign)
  return (type.flags & anyText) !== 0
}

function isPlainObject(checker: Checker, type: Type | undefined): boolean {
  const table = type === undefined ? undefined : checker.getNonNullableType(type)
  if (table === undefined) return true
  return (table.flags & (TypeFlags.String | TypeFlags.StringLiteral)) === 0 && !checker.isArrayLikeType(table)
}

/** Whether an enclosing function makes sure that the key is the table's own. */
function isGuarded({ node, table, key }: Candidate, source: SourceFile): boolean {
  const [of, by] = [textOf(table, source), textOf(key, source)]
  const questions = [`Object.hasOwn(${of}, ${by})`, `(const ${by} of Object.keys(${of}))`, `(const ${by} in ${of})`]
  for (let around: Node | undefined = node; around !== undefined; around = around.parent) {
    if (!isFunctionLikeDeclaration(around)) continue
    const text = textOf(around, source)
    if (questions.some((question) => text.includes(question))) return true
  }
  return false
}

const inherited = Object.getOwnPropertyNames(Object.prototype)

function isPrefixed(key: Expression): boolean {
  return isTemplateExpression(key) && !inherited.some((name) => name.startsWith(key.head.text))
}

/** Whether the table inherits nothing. */
function isBare(checker: Checker, table: Expression, source: SourceFile): boolean {
  const declared = checker.getSymbolAtLocation(table)?.valueDeclaration?.resolve()
  if (declared === undefined || !isVariableDeclaration(declared) || declared.initializer === undefined) return false
  return textOf(plain(declared.initializer), source).startsWith('Object.create(null')
}

function textOf(node: Node, source: SourceFile): string {
  return source.text.slice(node.getStart(source), node.end)
}

function lineOf(source: SourceFile, node: Node): number {
  return source.text.slice(0, node.getStart(source)).split('\n').length
}
