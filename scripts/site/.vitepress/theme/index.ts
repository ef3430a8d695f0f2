// The theme: that of VitePress, without the empty headings of tables that have none.
import './tables.css'
import theme from 'vitepress/theme'

export default theme
