import './quick-add.css'
import { type ClipboardEvent, type FormEvent, type Ref, useId, useState } from 'react'
import { Button } from '../kit/button.tsx'
import { Input } from '../kit/input.tsx'
import { splitAddresses } from './addresses.ts'
import type { AddFault } from './use-added.ts'

type Props = {
  ref: Ref<HTMLInputElement>
  faults: readonly AddFault[]
  told: string
  onAdd: (addresses: string[]) => Promise<readonly AddFault[]>
}

export function QuickAdd({ ref, faults, told, onAdd }: Props) {
  const id = useId()
  const [text, setText] = useState('')
  const count = splitAddresses(text).length

  function submit(event: FormEvent) {
    event.preventDefault()
    if (count === 0) return
    setText('')
    void onAdd(splitAddresses(text)).then((failed) => {
      // What was refused comes back to be mended, unless something else was typed meanwhile.
      setText((now) => (now === '' ? failed.map(({ uri }) => uri).join(' ') : now))
    })
  }

  /** A line of input would lose the ends of lines, and with them where one address ends. */
  function paste(event: ClipboardEvent<HTMLInputElement>) {
    const pasted = event.clipboardData.getData('text')
    if (!/[\r\n]/.test(pasted.trim())) return
    event.preventDefault()
    const { selectionStart, selectionEnd } = event.currentTarget
    const before = text.slice(0, selectionStart ?? text.length)
    const after = text.slice(selectionEnd ?? text.length)
    setText(`${before}${pasted.trim().replace(/\s+/g, ' ')}${after}`)
  }

  return (
    <form className="quick-add" onSubmit={submit}>
      <label className="quick-add-label" htmlFor={id}>
        Watch a page
      </label>
      <Input
        ref={ref}
        id={id}
        className="quick-add-input"
        inputMode="url"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        placeholder="Paste an address, or several"
        aria-describedby={`${id}-said`}
        aria-invalid={faults.length > 0}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onPaste={paste}
      />
      <Button type="submit" look="primary" icon="plus" disabled={count === 0}>
        {count > 1 ? `Watch ${count} pages` : 'Watch'}
      </Button>
      <div id={`${id}-said`} className="quick-add-said" role="status">
        {faults.map(({ uri, message }) => (
          <p key={uri} className="quick-add-fault">
            <strong>{uri}</strong>: {message}
          </p>
        ))}
        {told !== '' && (
          <p className="soft">{told} The first visit is taken as the base line; what changes after it is told.</p>
        )}
      </div>
    </form>
  )
}
