"""Self Data Augmentation for text generators."""

__version__ = "0.1.0"
