// The dashboard: runs in progress and finished, the scope, controls, and examples to learn from.
import '../../node_modules/uplot/dist/uPlot.min.css';
import '../tokens.css';
import '../chart.css';
import '../dash.css';
import '../dash/app.js';
