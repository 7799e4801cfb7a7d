// Charts are drawn with at least two dots per CSS pixel, so that they are sharp on paper as well. uPlot asks this once.
if (devicePixelRatio < 2) Object.defineProperty(window, 'devicePixelRatio', { value: 2, configurable: true });
