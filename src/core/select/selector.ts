import { createRequire } from 'node:module'
import { AppError } from '../errors.ts'
import { createPattern } from '../pattern/pattern.ts'
import { JsonPathError, readJsonPath } from './json-path-syntax.ts'
import type { Selector } from './page-part.ts'
import { readXPath, XPathError } from './xpath-syntax.ts'

type Page = typeof import('./page-part.ts')
let loaded: Page | null = null

/** Loaded with the first selector: the parser and the selector engine take 20 MB and 70 ms per thread. */
export function pageParts(): Page {
  loaded ??= createRequire(import.meta.url)(import.meta.url.replace(/.*\/selector/, './page-part')) as Page
  return loaded
}

/** Throws `usage-wrong`, with the reason, if a selector is invalid. */
export function readSelector(given: string): Selector {
  const source = given.trim()
  try {
    if (source.startsWith('$')) return { kind: 'json', path: readJsonPath(source) }
    if (source.length > 2 && source.startsWith('/') && source.endsWith('/'))
      return { kind: 'pattern', pattern: createPattern(source.slice(1, -1)) }
    if (/^(?:[/(]|\.\.?\/|id\(|(?:child|descendant|descendant-or-self|self)::)/.test(source))
      return { kind: 'xpath', path: readXPath(source), source }
    pageParts().checkCss(source)
    return { kind: 'css', source }
  } catch (cause) {
    if (cause instanceof AppError && cause.code !== 'usage-wrong') throw cause
    const language =
      cause instanceof XPathError
        ? 'XPath'
        : cause instanceof JsonPathError
          ? 'JSONPath'
          : cause instanceof AppError
            ? 'expression'
            : 'CSS selector'
    throw new AppError('usage-wrong', `invalid ${language}: ${(cause as Error).message}`, { cause })
  }
}
