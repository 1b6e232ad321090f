// Runs in the frame that shows an archived page for picking a part, without an origin and as the only script that its policy allows.
// Posts the chosen element and its ancestors to the page around it, which can select one of them.
;(() => {
  const MAX_PATH = 12
  const MAX_TEXT = 300
  const MAX_SELECTOR = 400
  const accent = '#0b57d0'
  const unnamed = new Set(['html', 'body', 'tbody', 'head'])

  let path = []
  let chosen = null
  let hovered = null

  function frameOf(style) {
    const box = document.createElement('div')
    box.className = 'erace-picker'
    box.setAttribute('aria-hidden', 'true')
    box.style.cssText = `all:initial;position:fixed;pointer-events:none;z-index:2147483647;display:none;${style}`
    document.documentElement.append(box)
    return box
  }
  const hoverBox = frameOf(`outline:2px dashed ${accent};outline-offset:1px`)
  const chosenBox = frameOf(`outline:3px solid ${accent};outline-offset:1px;background:rgba(11,87,208,.12)`)

  function place(box, element) {
    if (element === null) {
      box.style.display = 'none'
      return
    }
    const { left, top, width, height } = element.getBoundingClientRect()
    box.style.display = 'block'
    box.style.left = `${left}px`
    box.style.top = `${top}px`
    box.style.width = `${width}px`
    box.style.height = `${height}px`
  }
  function draw() {
    place(hoverBox, hovered === chosen ? null : hovered)
    place(chosenBox, chosen)
  }

  /** False for names that look generated, which may soon be different ones. */
  function isStable(name) {
    return (
      name.length <= 40 &&
      !/\d{3,}|^\d|[0-9a-f]{6,}|--?[a-z0-9]*\d[a-z0-9]*$|^(css|sc|jsx|svelte|emotion)-|:/i.test(name)
    )
  }
  const isOne = (selector, element) => {
    const found = document.querySelectorAll(selector)
    return found.length === 1 && found[0] === element
  }
  const tagOf = (element) => element.localName
  const classesOf = (element) => [...element.classList].filter((name) => isStable(name) && !name.startsWith('erace-'))

  /** Selectors for an element itself, the shortest and most stable first. */
  function ownNames(element) {
    const names = []
    const tag = tagOf(element)
    if (element.id !== '' && isStable(element.id)) names.push(`#${CSS.escape(element.id)}`)
    const prop = element.getAttribute('itemprop')
    if (prop !== null && /^[\w-]+$/.test(prop)) names.push(`[itemprop="${prop}"]`)
    const classes = classesOf(element).map((name) => `.${CSS.escape(name)}`)
    names.push(...classes, ...classes.map((name) => tag + name))
    if (classes.length > 1) names.push(classes.slice(0, 3).join(''))
    names.push(CSS.escape(tag))
    return names
  }

  function nthOf(element) {
    const same = [...element.parentElement.children].filter((each) => each.localName === element.localName)
    const tag = CSS.escape(tagOf(element))
    return same.length === 1 ? tag : `${tag}:nth-of-type(${same.indexOf(element) + 1})`
  }

  /** A unique selector, from the nearest ancestor with a unique one if necessary. Skips elements that browsers add to the source. */
  function selectorOf(element) {
    const names = ownNames(element)
    const direct = names.find((name) => isOne(name, element))
    if (direct !== undefined) return direct
    let steps = nthOf(element)
    for (let at = element.parentElement; at !== null; at = at.parentElement) {
      if (unnamed.has(tagOf(at))) {
        if (tagOf(at) === 'body' && isOne(steps, element)) return steps
        continue
      }
      const above = ownNames(at).find((name) => isOne(name, at))
      if (above !== undefined) {
        const near = names.find((name) => isOne(`${above} ${name}`, element))
        if (near !== undefined) return `${above} ${near}`
        if (isOne(`${above} ${steps}`, element)) return `${above} ${steps}`
      }
      steps = `${nthOf(at)}${at.querySelector(':scope > tbody') ? ' ' : ' > '}${steps}`
    }
    return steps
  }

  function labelOf(element) {
    const [name] = classesOf(element)
    if (element.id !== '' && isStable(element.id)) return `${tagOf(element)}#${element.id}`.slice(0, 40)
    return (name === undefined ? tagOf(element) : `${tagOf(element)}.${name}`).slice(0, 40)
  }

  function choose(element) {
    path = []
    for (let at = element; at !== null && !unnamed.has(tagOf(at)) && path.length < MAX_PATH; at = at.parentElement)
      path.push(at)
    if (path.length === 0) return
    show(0)
  }

  function show(at) {
    chosen = path[at] ?? null
    draw()
    if (chosen === null) return
    const box = chosen.getBoundingClientRect()
    if (box.bottom < 0 || box.top > innerHeight) chosen.scrollIntoView({ block: 'center' })
    parent.postMessage(
      {
        erace: 'picked',
        at,
        path: path.map((each) => ({ label: labelOf(each), selector: selectorOf(each).slice(0, MAX_SELECTOR) })),
        text: chosen.innerText.trim().slice(0, MAX_TEXT),
      },
      '*',
    )
  }

  const isOurs = (element) =>
    !(element instanceof Element) || element === document.documentElement || element === document.body

  addEventListener('mousemove', ({ target }) => {
    hovered = isOurs(target) ? null : target
    draw()
  })
  addEventListener('mouseout', ({ relatedTarget }) => {
    if (relatedTarget === null) hovered = null
    draw()
  })
  addEventListener(
    'click',
    (event) => {
      event.preventDefault()
      event.stopPropagation()
      if (!isOurs(event.target)) choose(event.target)
    },
    true,
  )
  addEventListener('submit', (event) => event.preventDefault(), true)
  addEventListener('scroll', draw, { capture: true, passive: true })
  addEventListener('resize', draw)

  /** Keyboard navigation: into an element, along its siblings, and out again. */
  function step(key) {
    const from = chosen
    const seen = (element) =>
      element !== null && !element.classList.contains('erace-picker') && element.getClientRects().length > 0
    const first = (list) => [...list].find((each) => seen(each) && !['script', 'style'].includes(tagOf(each))) ?? null
    if (from === null) return first(document.body.children)
    if (key === 'ArrowUp') return from.parentElement
    if (key === 'ArrowDown') return first(from.children)
    const along = key === 'ArrowLeft' ? 'previousElementSibling' : 'nextElementSibling'
    let at = from[along]
    while (at !== null && !seen(at)) at = at[along]
    return at
  }
  addEventListener('keydown', (event) => {
    if (!['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight'].includes(event.key)) return
    event.preventDefault()
    const next = step(event.key)
    if (next !== null && !unnamed.has(tagOf(next))) choose(next)
  })
  addEventListener('message', ({ source, data }) => {
    if (source !== parent || typeof data !== 'object' || data === null) return
    if (data.erace === 'choose' && Number.isInteger(data.at)) show(data.at)
  })
  document.documentElement.style.cursor = 'crosshair'
  parent.postMessage({ erace: 'ready' }, '*')
})()
