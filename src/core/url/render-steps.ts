import { AppError } from '../errors.ts'

/**
 * The steps that a browser takes on a page before it is read, as the fragment of a source's URL:
 *
 *     https://example.org/prices#!click=.accept&wait=.price
 *
 * Steps are separated by `&` or line breaks, and run in order. `%`, `&` and control characters within a step are percent-encoded.
 * The `=` after the name may be a space, which is easier to write.
 *
 *     go=URL                an address, or a path on the current host
 *     click=SELECTOR        CSS; waits for the element to appear
 *     fill=SELECTOR:=VALUE  types a value; `{user}` and `{password}` stand for the credentials of the source
 *     press=KEY             `Enter`, `Tab`, `Control+a`
 *     wait=SELECTOR         until such an element exists
 *     wait=1500             milliseconds
 *     wait=quiet            until nothing is loading any more
 */
export type RenderStep =
  | { kind: 'go'; url: string }
  | { kind: 'click'; selector: string }
  | { kind: 'fill'; selector: string; value: string }
  | { kind: 'press'; key: string }
  | { kind: 'wait'; selector: string }
  | { kind: 'pause'; ms: number }
  | { kind: 'quiet' }

export const maxRenderSteps = 20
export const maxRenderPauseMs = 30_000
export const maxRenderText = 4000
const maxPartLength = 500

/** Separates the page's URL from its steps. */
export const renderMark = '#!'

const separator = ':='
const key =
  /^(?:(?:Shift|Control|Alt)\+){0,3}(?:[\x21-\x7e]|Enter|Tab|Escape|Space|Backspace|Delete|Home|End|PageUp|PageDown|Arrow(?:Up|Down|Left|Right)|F(?:[1-9]|1[0-2]))$/
const control = /\p{Cc}/u

/** Parses the text after `#!`, with or without it. Throws `url-invalid` naming the wrong part. */
export function parseRenderSteps(text: string): RenderStep[] {
  const bare = text.startsWith(renderMark) ? text.slice(renderMark.length) : text
  if (bare.length > maxRenderText) throw invalid(`The steps are longer than ${maxRenderText} characters`)
  const parts = bare
    .split(/[&\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
  if (parts.length > maxRenderSteps)
    throw invalid(`There are ${parts.length} steps; at most ${maxRenderSteps} are allowed`)
  return parts.map(parseStep)
}

/** The canonical text of steps, without `#!`; '' for none. Parsing it returns the same steps. */
export function formatRenderSteps(steps: readonly RenderStep[]): string {
  return steps.map(formatStep).join('&')
}

/** Inserts the values of a secret into the value of a `fill`; null if it names one that is missing. */
export function fillIn(value: string, secret: Readonly<Record<string, string>> | null): string | null {
  let isMissing = false
  const filled = value.replace(placeholder, (_, name: string) => {
    if (secret !== null && Object.hasOwn(secret, name)) return secret[name]!
    isMissing = true
    return ''
  })
  return isMissing ? null : filled
}

/** Whether a value refers to credentials. */
export const namesSecret = (value: string): boolean => value.search(placeholder) !== -1

const placeholder = /\{([a-z][A-Za-z0-9]{0,30})\}/g

function parseStep(part: string): RenderStep {
  const name = /^[^=\s]*/.exec(part)![0]
  const given = part.slice(name.length + 1)
  switch (name) {
    case 'go':
      return { kind: 'go', url: addressOf(textOf(given, name)) }
    case 'click':
      return { kind: 'click', selector: selectorOf(given, name) }
    case 'fill': {
      const at = given.indexOf(separator)
      if (at === -1) throw invalid('A "fill" step has the form fill=SELECTOR:=VALUE')
      const value = given.slice(at + separator.length).trim()
      return {
        kind: 'fill',
        selector: selectorOf(given.slice(0, at), name),
        value: value === '' ? '' : textOf(value, name),
      }
    }
    case 'press': {
      const pressed = textOf(given, name)
      if (!key.test(pressed)) throw invalid(`"${pressed}" isn't a key such as Enter, Tab or Control+a`)
      return { kind: 'press', key: pressed }
    }
    case 'wait':
      return waitOf(given)
    default:
      throw invalid(`"${name.slice(0, 40)}" isn't a step; there are go, click, fill, press and wait`)
  }
}

function waitOf(given: string): RenderStep {
  const text = textOf(given, 'wait')
  if (text === 'quiet') return { kind: 'quiet' }
  if (!/^\d+$/.test(text)) return { kind: 'wait', selector: selectorOf(given, 'wait') }
  const ms = Number(text)
  if (ms > maxRenderPauseMs) throw invalid(`wait=${text.slice(0, 20)} is longer than ${maxRenderPauseMs} milliseconds`)
  return { kind: 'pause', ms }
}

function textOf(encoded: string, name: string): string {
  let text: string
  try {
    text = decodeURIComponent(encoded)
  } catch (error) {
    throw invalid(`The "${name}" step has a "%" that isn't followed by a character's code`, error)
  }
  if (text.trim() === '') throw invalid(`The "${name}" step is empty`)
  if (text.length > maxPartLength) throw invalid(`The "${name}" step is longer than ${maxPartLength} characters`)
  if (control.test(text)) throw invalid(`The "${name}" step has control characters`)
  return text
}

/** Rejects `>>`: in the library that runs the steps it chains selectors of other kinds than CSS. */
function selectorOf(encoded: string, name: string): string {
  const selector = textOf(encoded, name).trim()
  if (selector.includes('>>')) throw invalid(`The "${name}" step has ">>", which isn't CSS`)
  return selector
}

function addressOf(text: string): string {
  if (/^\/(?![/\\])/.test(text)) return text
  const url = URL.parse(text)
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw invalid('A "go" step leads to an http or https URL, or a path that starts with "/"')
  }
  if (url.username !== '' || url.password !== '')
    throw invalid('A "go" step must not have a user or password in its URL')
  return url.href
}

function formatStep(step: RenderStep): string {
  switch (step.kind) {
    case 'go':
      return `go=${encode(step.url)}`
    case 'click':
    case 'wait':
      return `${step.kind}=${encode(step.selector)}`
    case 'fill':
      return `fill=${encode(step.selector).replaceAll(separator, '%3A=')}${separator}${encode(step.value)}`
    case 'press':
      return `press=${encode(step.key)}`
    case 'pause':
      return `wait=${step.ms}`
    case 'quiet':
      return 'wait=quiet'
  }
}

/** Escapes all but characters that a URL's fragment keeps as they are; never leaves a second `#`. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(/%(?:2B|2C|2F|3A|3B|3D|3F|40|5B|5D|7B|7D|24)/g, (code) =>
    decodeURIComponent(code),
  )
}

function invalid(message: string, cause?: unknown): AppError {
  return new AppError('url-invalid', message, { cause })
}
