import { Component, h, type FunctionComponent } from 'preact'

/** A component that is drawn again only when one of its properties is another. */
export function memo<P extends object>(inner: FunctionComponent<P>): FunctionComponent<P> {
  return class extends Component<P> {
    override shouldComponentUpdate(next: Record<string, unknown>): boolean {
      const old = this.props as Record<string, unknown>
      return Object.keys(next).some((key) => !Object.is(next[key], old[key]))
    }
    override render() {
      return h(inner, this.props as P)
    }
  } as unknown as FunctionComponent<P>
}
