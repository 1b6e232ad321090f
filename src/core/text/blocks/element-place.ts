import type { PageBytes } from '../../html/byte-class.ts'
import { type ElementTag, ONE_OF_MANY, WRAPPER } from './element-tags.ts'

/** An element with what is needed to say where it is; all else is made when a block in it is met. */
export type Placed = {
  readonly tag: ElementTag
  readonly parent: Placed | null
  readonly idAt: number
  readonly idEnd: number
  readonly classAt: number
  readonly classEnd: number
  place: string | null
  /** Of the child that was met last: its siblings are mostly of the same kind. */
  childStep: string
  childPlace: string
}

const maxPlaceCharacters = 200
const maxNameBytes = 60
const maxClassBytes = 300
const maxClasses = 2
const maxRemembered = 1000
const sound = /^[a-z_][\w-]*$/i
/** Numbers of posts, sessions and builds: with them a place would be a new one each time. */
const numbered = /\d{3}/
/** What they are numbers of. In brackets: no selector finds it by that name. */
const beforeNumber = /^([a-z]+(?:[-_][a-z]+)*)[-_]\d+(?:[-_x]\d+)*$/i

/** Says where the elements of a page are. */
export class Places {
  private readonly page: PageBytes
  /** By the class attribute as it is written: the same few come again and again. */
  private readonly ofClasses = new Map<string, string>()

  constructor(page: PageBytes) {
    this.page = page
  }

  /** The way from the body, e.g. `main/div.price/p`: without wrappers that have no name, and at its end only if it is long. */
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
