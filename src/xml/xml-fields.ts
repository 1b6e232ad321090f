import type { XmlElement } from './xml-elements.ts'
import { InvalidXmlError } from './xml-error.ts'
import { unbackslashed } from './xml-text.ts'

/**
 * Takes an element apart in the order of its grammar: each call takes what may come next, and `end` sees to it that nothing is
 * left over. Every fault has the line it is on.
 */
export type ElementFields = ReturnType<typeof createElementFields>

export function createElementFields(element: XmlElement) {
  const { children, attributes } = element
  const known = new Set<string>()
  let next = 0

  function fail(message: string, line = element.line): never {
    throw new InvalidXmlError({ line, message: `<${element.name}>: ${message}` })
  }

  function attribute<T>(name: string, read: (text: string, name: string) => T): T | null {
    known.add(name)
    const text = attributes.get(name)
    // Values that are one token may stand between blanks.
    return text === undefined ? null : read(text.trim(), name)
  }

  function child(name: string): XmlElement | null {
    return children[next]?.name === name ? children[next++]! : null
  }

  return {
    fail,
    child,
    optional: attribute,
    required: <T>(name: string, read: (text: string, name: string) => T): T =>
      attribute(name, read) ?? fail(`the attribute ${name} is missing`),
    fixed(name: string, value: string): void {
      if ((attribute(name, (text) => text) ?? value) !== value) fail(`${name} is not ${value}`)
    },
    integer(text: string, name: string): number {
      const value = /^-?\d{1,16}$/.test(text) ? Number(text) : Number.NaN
      return Number.isSafeInteger(value) ? value : fail(`${name} is no whole number: ${shown(text)}`)
    },
    time(text: string, name: string): number {
      const value = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?Z$/.test(text) ? Date.parse(text) : Number.NaN
      return Number.isNaN(value) ? fail(`${name} is no time: ${shown(text)}`) : value
    },
    oneOf<T extends string>(values: readonly T[]): (text: string, name: string) => T {
      return (text, name) =>
        values.find((value) => value === text) ?? fail(`${name} is none of ${values.join(', ')}: ${shown(text)}`)
    },
    /** The text of the next element, if it has that name. */
    text(name: string): string | null {
      const found = child(name)
      return found === null ? null : textOf(found)
    },
    number(name: string): number | null {
      const found = child(name)
      if (found === null) return null
      const text = textOf(found, false).trim()
      const value = /^-?\d{1,16}$/.test(text) ? Number(text) : Number.NaN
      return Number.isSafeInteger(value) ? value : fail(`${name} is no whole number: ${shown(text)}`, found.line)
    },
    all(name: string): XmlElement[] {
      const from = next
      while (children[next]?.name === name) next++
      return children.slice(from, next)
    },
    texts(name: string): string[] {
      return this.all(name).map((each) => textOf(each))
    },
    end(): void {
      const rest = children[next]
      if (rest !== undefined) fail(`<${rest.name}> is unknown or stands in the wrong place`, rest.line)
      if (!element.isBlank) fail('there is text between its elements')
      for (const name of attributes.keys()) if (!known.has(name)) fail(`unknown attribute ${name}`)
    },
  }
}

function textOf({ name, line, attributes, children, text }: XmlElement, mayEscape = true): string {
  const fail = (message: string): never => {
    throw new InvalidXmlError({ line, message: `<${name}>: ${message}` })
  }
  if (children.length > 0) fail('there are elements where text is expected')
  for (const [key, value] of attributes) {
    if (key !== 'escaped' || !mayEscape) fail(`unknown attribute ${key}`)
    if (value.trim() !== 'yes') fail(`escaped is not yes: ${shown(value)}`)
  }
  if (attributes.size === 0) return text
  return unbackslashed(text) ?? fail('a backslash that begins no escape')
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 60))
}
