import type { PageBytes } from '../../html/byte-class.ts'
import { type ElementTag, ONE_OF_MANY, WRAPPER } from './element-tags.ts'

/** An element with the data needed to describe its place; the description is only built for blocks in it. */
export type Placed = {
  readonly tag: ElementTag
  readonly parent: Placed | null
  readonly idAt: number
  readonly idEnd: number
  readonly classAt: number
  readonly classEnd: number
  place: string | null
  /** Cache for the child seen last: siblings are usually alike. */
  childStep: string
  childPlace: string
}

const maxPlaceCharacters = 200
const maxNameBytes = 60
const maxClassBytes = 300
const maxClasses = 2
const maxRemembered = 1000
const sound = /^[a-z_][\w-]*$/i
/** Numbers of posts, sessions and builds: with them, a place would be different each time. */
const numbered = /\d{3}/
/** The name before such a number. It is put in brackets, as no selector could find the element by it. */
const beforeNumber = /^([a-z]+(?:[-_][a-z]+)*)[-_]\d+(?:[-_x]\d+)*$/i

/** Describes where the elements of a page are. */
export class Places {
  private readonly page: PageBytes
  /** Cache by class attribute as written: the same few recur. */
  private readonly ofClasses = new Map<string, string>()

  constructor(page: PageBytes) {
    this.page = page
  }

  /** The path from the body, e.g. `main/div.price/p`. Leaves out wrappers without id and class, and keeps only the end of a long path. */
  placeOf(element: Placed): string {
    if (element.place !== null) return element.place
    const { parent } = element
    if (parent === null) return ''
    const above = this.placeOf(parent)
    const step = this.stepOf(element)
    if (step === '') element.place = above
    else if (parent.childStep === step) element.place = parent.childPlace
    else {
      element.place = above === '' ? step : `${shortened(above)}/${step}`
      parent.childStep = step
      parent.childPlace = element.place
    }
    return element.place
  }

  private stepOf({ tag, idAt, idEnd, classAt, classEnd }: Placed): string {
    const { name, flags } = tag
    if (flags & ONE_OF_MANY || (idAt === -1 && classAt === -1)) return flags & WRAPPER ? '' : name
    let step = name
    if (idAt !== -1 && idEnd - idAt <= maxNameBytes) {
      const id = this.page.text.slice(idAt, idEnd).trim()
      if (isLasting(id)) step += `#${id}`
      else step += numberedName(id)
    }
    if (classAt !== -1) step += this.classesOf(classAt, classEnd)
    return step === name && flags & WRAPPER ? '' : step
  }

  private classesOf(from: number, end: number): string {
    const written = this.page.text.slice(from, Math.min(end, from + maxClassBytes))
    const known = this.ofClasses.get(written)
    if (known !== undefined) return known
    const names = written.split(/\s+/)
    const lasting = names.filter(isLasting).slice(0, maxClasses)
    const classes = lasting.length === 0 ? numberedName(names[0]!) : lasting.map((each) => `.${each}`).join('')
    if (this.ofClasses.size < maxRemembered) this.ofClasses.set(written, classes)
    return classes
  }
}

function shortened(place: string): string {
  if (place.length <= maxPlaceCharacters) return place
  return place.slice(place.indexOf('/', place.length - maxPlaceCharacters) + 1)
}

function isLasting(name: string): boolean {
  return name.length <= maxNameBytes && sound.test(name) && !numbered.test(name)
}

function numberedName(id: string): string {
  const name = beforeNumber.exec(id)?.[1]
  return name === undefined ? '' : `[${name}]`
}
