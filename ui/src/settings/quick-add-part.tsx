import { useCallback } from 'react'
import { CopyText } from '../kit/copy-text.tsx'
import { Icon } from '../kit/icon.tsx'
import { showToast } from '../kit/toast.tsx'
import { bookmarkletFor } from './bookmarklet.ts'
import { strings } from './strings.ts'

const text = strings.quickAdd

/** Ways to watch a page from outside. */
export function QuickAddPart() {
  const code = bookmarkletFor(location.origin)
  const link = useCallback((element: HTMLAnchorElement) => makeBookmarklet(element, code), [code])
  return (
    <>
      <section className="kit-card kit-form">
        <h2>{text.bookmarklet.title}</h2>
        <p className="soft">{text.bookmarklet.lead}</p>
        <p>
          <a ref={link} className="kit-button settings-bookmarklet" href="/profiles/new">
            <Icon name="plus" />
            {text.bookmarklet.name}
          </a>
        </p>
        <CopyText label={text.bookmarklet.code} value={code} hint={text.bookmarklet.codeHint} />
      </section>
      <section className="kit-card kit-form">
        <h2>{text.share.title}</h2>
        <p className="soft">{text.share.lead}</p>
        <ol className="settings-steps">
          {text.share.steps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
        <p className="faint small">{text.share.note}</p>
      </section>
      <section className="kit-card kit-form">
        <h2>{text.link.title}</h2>
        <CopyText label={text.link.label} value={`${location.origin}/profiles/new?url=`} hint={text.link.hint} />
      </section>
    </>
  )
}

/** Set by hand, as React blocks `javascript:` URLs. Our CSP doesn't let it run here, so a click only explains what to do. */
function makeBookmarklet(element: HTMLAnchorElement, code: string): () => void {
  const explain = (event: Event): void => {
    event.preventDefault()
    showToast(text.bookmarklet.drag)
  }
  element.setAttribute('href', code)
  element.addEventListener('click', explain)
  return () => element.removeEventListener('click', explain)
}
