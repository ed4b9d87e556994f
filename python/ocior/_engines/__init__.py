"""What ocior.ray, ocior.dask and ocior.spark share: the Parts of many files (files.py), one schema for all of them and how each Part is
read by it (reading.py), and folders that are written as a whole (folder.py). No engine is imported here.
"""
